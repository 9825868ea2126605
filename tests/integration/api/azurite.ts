import { type ChildProcess, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';

const require = createRequire(import.meta.url);
const ACCOUNT = 'devstoreaccount1';
/** The public key of every emulator. */
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Azurite in memory, on ports that nobody else has. */
export async function startAzurite(): Promise<{ connectionString: string; stop: () => Promise<void> }> {
  const [blob = 0, queue = 0, table = 0] = await Promise.all([freePort(), freePort(), freePort()]);
  const script = join(dirname(require.resolve('azurite/package.json')), 'dist/src/azurite.js');
  const ports = ['--blobPort', blob, '--queuePort', queue, '--tablePort', table].map(String);
  const child = spawn(
    process.execPath,
    [script, '--inMemoryPersistence', '--silent', '--skipApiVersionCheck', '--disableTelemetry', ...ports],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  await listening(child, 3);
  const endpoint = (name: string, port: number): string => `${name}Endpoint=http://127.0.0.1:${port}/${ACCOUNT};`;
  const endpoints = endpoint('Blob', blob) + endpoint('Queue', queue) + endpoint('Table', table);
  return {
    connectionString: `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};${endpoints}`,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill();
      await ended;
    },
  };
}

function listening(child: ChildProcess, services: number): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`Azurite ended with code ${code}: ${output}`)));
    child.stdout?.on('data', (data: Buffer) => {
      output += data.toString();
      if (output.split('successfully listening').length > services) resolve();
    });
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
