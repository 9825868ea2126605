import { styleText } from 'node:util';

/** Where the command writes: results and progress to standard output, warnings and errors to standard error. */
export interface CliConsole {
  print(line: string): void;
  warn(line: string): void;
  error(line: string): void;
  /** Passes a line of the host or the app on, as it is. */
  relay(line: string, stream: 'stdout' | 'stderr'): void;
}

type Colour = 'yellow' | 'red';

/** Writes to the process's own streams. Colours appear only where a stream is a terminal, and not with NO_COLOR. */
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
