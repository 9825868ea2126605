import type { ChildProcess } from 'node:child_process';
import { createWriteStream, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

const KEPT_LINES = 30;

/** The output of a child process. All of it is written to a file; the last lines are kept for messages. */
export interface ProcessOutput {
  /** Lines of standard output and standard error, oldest first. */
  lastLines(): string[];
  /** Calls `listener` for every further line of standard output. */
  onLine(listener: (line: string) => void): void;
  /** Resolves when the child has ended and all of its output is in the file. */
  readonly written: Promise<void>;
}

/** Receives each line of a child's output, including colours. */
export type OutputListener = (line: string, stream: 'stdout' | 'stderr') => void;

/** Reads a child's output until it ends, even without a listener: a full pipe would block the child. */
export function readOutput(child: ChildProcess, logFile: string, onOutput: OutputListener = () => {}): ProcessOutput {
  mkdirSync(dirname(logFile), { recursive: true });
  const log = createWriteStream(logFile, { flags: 'a' });
  const last: string[] = [];
  const listeners: ((line: string) => void)[] = [];
  const read = (name: 'stdout' | 'stderr', listen: (line: string) => void): void => {
    const stream: Readable | null = child[name];
    if (!stream) return;
    createInterface({ input: stream }).on('line', (raw) => {
      const line = stripVTControlCharacters(raw);
      log.write(`${line}\n`);
      last.push(line);
      if (last.length > KEPT_LINES) last.shift();
      onOutput(raw, name);
      listen(line);
    });
  };
  read('stdout', (line) => {
    for (const listener of listeners) listener(line);
  });
  read('stderr', () => {});
  const written = new Promise<void>((resolve) => void log.once('close', resolve));
  child.once('close', () => log.end());
  return { lastLines: () => [...last], onLine: (listener) => void listeners.push(listener), written };
}
