import { styleText } from 'node:util';

/** Output of the command: results and progress go to standard output, warnings and errors to standard error. */
export interface CliConsole {
  print(line: string): void;
  warn(line: string): void;
  error(line: string): void;
  /** Writes a line of the host or the app unchanged. */
  relay(line: string, stream: 'stdout' | 'stderr'): void;
}

type Colour = 'yellow' | 'red';

/** Writes to the process's streams. Colours are used only if a stream is a terminal and NO_COLOR is not set. */
export function createConsole(streams: Pick<NodeJS.Process, 'stdout' | 'stderr'>): CliConsole {
  const { stdout, stderr } = streams;
  const label = (colour: Colour, word: string): string => styleText(colour, word, { stream: stderr });
  return {
    print: (line) => void stdout.write(`${line}\n`),
    warn: (line) => void stderr.write(`${label('yellow', 'warning:')} ${line}\n`),
    error: (line) => void stderr.write(`${label('red', 'error:')} ${line}\n`),
    relay: (line, stream) => void streams[stream].write(`${line}\n`),
  };
}
