import { Worker } from 'node:worker_threads';
import type { Folded } from './script-thread.ts';

/** Blocks that may wait for a thread: the next one is ready when a thread finishes one, and memory is bounded. */
const WAITING_BLOCKS = 4;

interface Lane {
  worker: Worker;
  answers: ((answer: 'done' | Folded) => void)[];
}

/** The worker threads of the plain script; each block goes to the thread with the fewest waiting blocks. */
export class ScriptThreads {
  readonly #lanes: Lane[];

  constructor(count: number) {
    this.#lanes = Array.from({ length: count }, () => {
      const worker = new Worker(new URL('./script-thread.ts', import.meta.url));
      const answers: Lane['answers'] = [];
      worker.on('message', (answer: 'done' | Folded) => answers.shift()?.(answer));
      worker.on('error', (error) => {
        throw error;
      });
      return { worker, answers };
    });
  }

  /** Resolves when there is room for the next block. The block's memory moves to the thread. */
  async send(block: Uint8Array<ArrayBuffer>): Promise<void> {
    const lane = this.#lanes.reduce((best, each) => (each.answers.length < best.answers.length ? each : best));
    const done = this.#ask(lane, block, [block.buffer]);
    if (this.#lanes.every(({ answers }) => answers.length >= WAITING_BLOCKS)) await done;
  }

  /** Resolves with the results of each thread since the last call. */
  finish(): Promise<Folded[]> {
    return Promise.all(this.#lanes.map((lane) => this.#ask(lane, 'end', []) as Promise<Folded>));
  }

  /** Ends the threads. */
  async end(): Promise<void> {
    await Promise.all(this.#lanes.map(({ worker }) => worker.terminate()));
  }

  #ask({ worker, answers }: Lane, message: Uint8Array | 'end', moved: ArrayBuffer[]): Promise<'done' | Folded> {
    worker.postMessage(message, moved);
    return new Promise((resolve) => answers.push(resolve));
  }
}
