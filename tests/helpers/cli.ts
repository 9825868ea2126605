import { Readable } from 'node:stream';
import { type Io, processIo } from '../../cli/process/io.ts';
import { runSluice } from '../../cli/run.ts';
import { captureOutput } from '../../infra/smoke/captured-output.ts';

/** The result of a run of the command. */
export interface CliRun {
  code: number;
  out: string;
  err: string;
}

/** The environment of a run, if it is not that of this process. */
export interface CliWorld {
  env: Record<string, string>;
  folder: string;
  stdin?: string;
  isTerminal?: boolean;
  io?: Partial<Io>;
}

/** Runs the command in this process: as fast as a call, and with real requests. */
export async function runCli(args: readonly string[], world: CliWorld): Promise<CliRun> {
  const { env, folder, stdin = '', isTerminal = false } = world;
  const { written, output } = captureOutput(isTerminal);
  const io: Io = {
    ...processIo(),
    ...{ env, folder },
    stdin: Readable.from([Buffer.from(stdin)]),
    ...output,
    ...world.io,
  };
  const code = await runSluice(args, io);
  return { code, ...written };
}
