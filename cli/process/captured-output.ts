import { Writable } from 'node:stream';
import type { Io } from './io.ts';

/** What a command has written. */
export interface Written {
  out: string;
  err: string;
}

/** Output of a command that is run inside a program, and kept as text. `isTerminal`: standard error is taken for one. */
export function captureOutput(isTerminal = false): { written: Written; output: Pick<Io, 'stdout' | 'stderr'> } {
  const written = { out: '', err: '' };
  const stdout = new Writable({
    write: (piece, _encoding, done) => {
      written.out += String(piece);
      done();
    },
  });
  const stderr = {
    isTTY: isTerminal,
    write: (text: string | Uint8Array) => {
      written.err += String(text);
      return true;
    },
  };
  return { written, output: { stdout, stderr } };
}
