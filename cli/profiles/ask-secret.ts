import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Io } from '../io.ts';

/** Asks at the terminal, without showing what is typed. */
export async function askSecret({ stdin, stderr }: Pick<Io, 'stdin' | 'stderr'>, question: string): Promise<string> {
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const terminal = createInterface({ input: stdin, output: nowhere, terminal: true });
  stderr.write(question);
  try {
    return (await terminal.question('')).trim();
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
