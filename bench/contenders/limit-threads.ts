import { Worker } from 'node:worker_threads';

interface Lane {
  worker: Worker;
  waiting: ((partial: Uint8Array) => void)[];
}

/** Worker threads that turn compressed chunks into compressed partial aggregates; each chunk goes to the least busy one. */
export class LimitThreads {
  readonly #lanes: Lane[];

  constructor(count: number) {
    this.#lanes = Array.from({ length: count }, () => {
      const worker = new Worker(new URL('./limit-thread.ts', import.meta.url));
      const waiting: Lane['waiting'] = [];
      worker.on('message', (partial: Uint8Array) => waiting.shift()?.(partial));
      worker.on('error', (error) => {
        throw error;
      });
      return { worker, waiting };
    });
  }

  /** Resolves with the chunk's partial aggregate. */
  run(frame: Uint8Array): Promise<Uint8Array> {
    const lane = this.#lanes.reduce((best, each) => (each.waiting.length < best.waiting.length ? each : best));
    lane.worker.postMessage(frame);
    return new Promise((resolve) => lane.waiting.push(resolve));
  }

  /** Ends the threads. */
  async end(): Promise<void> {
    await Promise.all(this.#lanes.map(({ worker }) => worker.terminate()));
  }
}
