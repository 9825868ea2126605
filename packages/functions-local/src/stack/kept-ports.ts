import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, isPortFree } from '../ports.ts';
import { FILES } from './parts.ts';

const run = promisify(execFile);

/** The required port is in use. */
export class PortInUseError extends Error {
  override readonly name = 'PortInUseError';

  constructor(port: number, holder: string | undefined) {
    super(`port ${port} of 127.0.0.1 is in use${holder === undefined ? ' or not allowed' : ` by ${holder}`}`);
  }
}

/** The port that a part requests. */
export interface PortWish {
  /** The name of the part, for messages and as the key in the file. */
  name: string;
  /** The only acceptable port. */
  required?: number | undefined;
  /** Used if the file contains no port for the part. Defaults to any free port. */
  preferred?: number | undefined;
}

/** Assigns to the parts of a stack the ports of earlier runs. */
export interface KeptPorts {
  /** Returns a free port and stores it for the next run. Throws PortInUseError if the required port is not free. */
  take(wish: PortWish): Promise<number>;
}

/**
 * Stores ports in `ports.json` of the stack's folder. `onProgress` receives a message for each port in use, with its
 * replacement.
 */
export function keepPorts(folder: string, onProgress: (line: string) => void): KeptPorts {
  const file = join(folder, FILES.ports);
  const ports = readPorts(file);
  return {
    take: async ({ name, required, preferred }) => {
      if (required !== undefined && !(await isPortFree(required)))
        throw new PortInUseError(required, await findHolder(required));
      const wanted = required ?? ports.get(name) ?? preferred;
      const port = required ?? (await freePort(wanted));
      if (wanted !== undefined && port !== wanted) {
        const holder = await findHolder(wanted);
        const by = holder === undefined ? '' : ` by ${holder}`;
        onProgress(`Port ${wanted} is in use${by}: ${name} uses ${port} instead`);
      }
      ports.set(name, port);
      writeFileSync(file, `${JSON.stringify(Object.fromEntries(ports), null, 2)}\n`);
      return port;
    },
  };
}

/** A file that a crash truncated counts as empty. */
function readPorts(file: string): Map<string, number> {
  try {
    const entries = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>);
    return new Map(entries.filter((entry): entry is [string, number] => isPort(entry[1])));
  } catch {
    return new Map();
  }
}

const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;

/** Returns name and id of the process that listens on a port, if `lsof` can determine them (most Linux systems, macOS). */
async function findHolder(port: number): Promise<string | undefined> {
  try {
    const args = ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'];
    const { stdout } = await run('lsof', args, { timeout: 2_000 });
    const [, pid, command] = /^p(\d+)\n(?:.*\n)*?c(.+)$/m.exec(stdout) ?? [];
    return pid === undefined ? undefined : `${command} (process ${pid})`;
  } catch {
    return undefined;
  }
}
