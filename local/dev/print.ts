import { clearLine } from '../../cli/process/status-line.ts';

/** Clears the progress line of a run before it prints. */
export const print = (...lines: string[]): void =>
  void process.stdout.write(`${clearLine(process.stdout)}${lines.join('\n')}\n`);
