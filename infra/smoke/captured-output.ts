import { Writable } from 'node:stream';
import type { Io } from '../../cli/process/io.ts';

/** The output of a command. */
export interface Written {
  out: string;
  err: string;
}

/** Creates streams that capture the output of a command as text. With `isTerminal`, standard error reports to be a terminal. */
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
