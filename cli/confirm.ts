import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';
import { UsageError } from './process/errors.ts';
import type { Session } from './session.ts';

/**
 * Asks a question; only "y" and "yes" confirm it. Throws UsageError, with `command` in the message, if there is no terminal.
 */
export async function isConfirmed(session: Session, command: string, question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(session, `${command}: expected --yes`, question));
}

/** Asks the user to type a name. Throws UsageError, with `command` in the message, if there is no terminal. */
export const askForName = (session: Session, command: string, question: string): Promise<string> =>
  ask(session, `${command}: expected --confirm NAME`, question);

async function ask({ io }: Session, instead: string, question: string): Promise<string> {
  if (io.stdin.isTTY !== true || io.stderr.isTTY !== true)
    throw new UsageError(`${instead}, because there is no terminal to ask for confirmation`);
  const terminal = createInterface({ input: io.stdin, output: io.stderr as unknown as Writable });
  try {
    return (await terminal.question(question)).trim();
  } finally {
    terminal.close();
  }
}
