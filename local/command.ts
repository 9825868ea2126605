/**
 * The common parts of `npm start` and `npm run dev`: one data folder per command, Ctrl-C, and the end of the process.
 */
import { join } from 'node:path';
import { type DataFolder, takeDataFolder } from './data-folder.ts';
import { interruption } from './interruption.ts';

export interface LocalCommand<Options> {
  /** Returns the folder of the app; its data is in `.sluice` there. The help does not need one. */
  root: () => string;
  usage: string;
  /** Reads the arguments. A relative file is relative to `folder`. */
  read: (args: string[], folder: string) => Options;
  /**
   * Returns the exit code. `interrupted` resolves at the first Ctrl-C. The folder belongs to the command until `run`
   * resolves.
   */
  run: (options: Options, folder: DataFolder, interrupted: Promise<void>) => Promise<number>;
}

/** Runs the command with `args`, and ends the process. */
export function runCommand<Options extends { help: boolean; keep: boolean }>(
  command: LocalCommand<Options>,
  args: string[],
): void {
  exitCodeOf(command, args).then(
    (code) => process.exit(code),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
      process.exit(1);
    },
  );
}

async function exitCodeOf<Options extends { help: boolean; keep: boolean }>(
  { root, usage, read, run }: LocalCommand<Options>,
  args: string[],
): Promise<number> {
  const options = read(args, process.env.INIT_CWD ?? process.cwd());
  if (options.help) {
    process.stdout.write(`${usage}\n`);
    return 0;
  }
  const interrupted = interruption();
  const folder = await takeDataFolder(join(root(), '.sluice'), options.keep);
  try {
    return await run(options, folder, interrupted);
  } finally {
    await folder.release();
  }
}
