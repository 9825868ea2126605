import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Io } from '../process/io.ts';

/** Asks the questions one by one in the terminal, without showing the typed text. */
export async function askSecrets(
  { stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>,
  questions: readonly string[],
): Promise<string[]> {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  const typed = terminal[Symbol.asyncIterator]();
  const answers: string[] = [];
  try {
    for (const question of questions) {
      stderr.write(question);
      // One reader for all questions, so that several pasted lines answer them in order.
      const { value = '' } = await typed.next();
      stderr.write('\n');
      answers.push(String(value).trim());
    }
    return answers;
  } finally {
    terminal.close();
  }
}
