import { clearLine } from '../../cli/process/status-line.ts';

/** A run may be showing how far it is. */
export const print = (...lines: string[]): void =>
  void process.stdout.write(`${clearLine(process.stdout)}${lines.join('\n')}\n`);
