import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const RUNS = 5;

/** Replaces the module of the Functions worker, so that the imported app has no effect. */
const WORKER_STUB = `
import Module from 'node:module';
const core = new Proxy({}, { get: (_, name) => name === 'version' || name === 'hostVersion' ? '4.0.0' : () => ({}) });
const original = Module.prototype.require;
Module.prototype.require = function (id) {
  return id === '@azure/functions-core' ? core : original.call(this, id);
};`;

/** Returns the median milliseconds that a new process needs to import `files` one by one, like the worker. */
export async function importMs(files: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const urls = files.map((file) => pathToFileURL(file).href);
  const script = `${WORKER_STUB}
const start = performance.now();
for (const url of ${JSON.stringify(urls)}) await import(url);
console.log('import-ms ' + (performance.now() - start));
process.exit(0);`;
  const times: number[] = [];
  for (let index = 0; index < RUNS; index++) times.push(await once(script, env));
  times.sort((a, b) => a - b);
  return times[RUNS >> 1] ?? Number.NaN;
}

async function once(script: string, env: NodeJS.ProcessEnv): Promise<number> {
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', script], { env });
  const match = /^import-ms (\S+)$/m.exec(stdout);
  if (!match) throw new Error(`Expected a time, but the import printed: ${stdout}`);
  return Number(match[1]);
}

/** Settings with which the app can be imported; no connection is opened. */
export const IMPORT_ENV: NodeJS.ProcessEnv = {
  PATH: process.env.PATH,
  SluiceStorage: 'UseDevelopmentStorage=true',
  SluiceServiceBus: 'Endpoint=sb://localhost;SharedAccessKeyName=a;SharedAccessKey=b;UseDevelopmentEmulator=true;',
};

/** Returns the entry of a package in `folder`. */
export const entryOf = (folder: string): string => join(folder, 'dist/functions/main.js');
