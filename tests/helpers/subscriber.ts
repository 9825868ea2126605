/** Runs docs/examples/subscriber.ts. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';

const SCRIPT = join(import.meta.dirname, '../../docs/examples/subscriber.ts');

/** A running subscriber. */
export interface Subscriber {
  /** Resolves when each of these has been written; rejects if the process ends before that. */
  until(...texts: string[]): Promise<void>;
  output(): string;
  /** SIGTERM. Returns the exit code. */
  stop(): Promise<number | null>;
}

/** Starts a subscriber that writes into `folder`. */
export function startSubscriber(subscription: string, folder: string, env: Record<string, string>): Subscriber {
  const child = spawn(process.execPath, [SCRIPT, subscription, folder], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  let output = '';
  const closed = new Promise<number | null>((resolve, reject) => child.on('close', resolve).on('error', reject));
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      child.emit('written');
    });
  }
  return {
    output: () => output,
    stop: () => {
      child.kill('SIGTERM');
      return closed;
    },
    until: (...texts) => {
      const isThere = (): boolean => texts.every((text) => output.includes(text));
      const written = new Promise<void>((resolve) => {
        if (isThere()) resolve();
        child.on('written', () => isThere() && resolve());
      });
      const died = closed.then((code) => {
        if (!isThere()) throw new Error(`The subscriber ended with ${code}: ${output}`);
      });
      return Promise.race([written, died]);
    },
  };
}
