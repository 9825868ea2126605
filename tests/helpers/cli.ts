import { Readable, Writable } from 'node:stream';
import { type Io, processIo } from '../../cli/io.ts';
import { runSluice } from '../../cli/run.ts';

/** How a run of the command ended. */
export interface CliRun {
  code: number;
  out: string;
  err: string;
}

/** The world of a run, where it is not this process's. */
export interface CliWorld {
  env: Record<string, string>;
  folder: string;
  stdin?: string;
  isTerminal?: boolean;
  io?: Partial<Io>;
}

/** Runs the command in this process: as fast as a call, and with real requests. */
export async function runCli(args: readonly string[], world: CliWorld): Promise<CliRun> {
  const written = { out: '', err: '' };
  const { env, folder, stdin = '', isTerminal = false } = world;
  const io: Io = {
    ...processIo(),
    ...{ env, folder },
    stdin: Readable.from([Buffer.from(stdin)]),
    stdout: new Writable({
      write: (piece, _encoding, done) => {
        written.out += String(piece);
        done();
      },
    }),
    stderr: {
      isTTY: isTerminal,
      write: (text: string | Uint8Array) => {
        written.err += String(text);
        return true;
      },
    },
    ...world.io,
  };
  const code = await runSluice(args, io);
  return { code, ...written };
}
