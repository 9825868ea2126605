import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';
import { UsageError } from './errors.ts';
import type { Session } from './session.ts';

/** Asks a question that only "y" or "yes" affirms. Throws UsageError, in the name of `command`, without a terminal to ask at. */
export async function isConfirmed({ io }: Session, command: string, question: string): Promise<boolean> {
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new UsageError(`${command}: expected --yes, as there is no terminal to ask at`);
  const terminal = createInterface({ input: io.stdin, output: io.stderr as unknown as Writable });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
