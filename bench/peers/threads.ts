/** The worker threads of a job queue, as seen by their process. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { mergeTotals, type Totals } from '../contenders/handle.ts';

/** The messages of a thread: ready, the number of items it has handled, or its totals so far. */
export type ThreadMessage = 'ready' | number | Totals;

/** Threads that process jobs of a server until they are ended, one per core. */
export class PeerThreads {
  readonly #workers: Worker[];
  readonly #ready: Promise<unknown>;
  #handled = 0;
  #expected = Number.POSITIVE_INFINITY;
  #done = Promise.withResolvers<void>();

  /** `file` is a module that calls `serveThread`. */
  constructor(file: URL, server: string) {
    this.#workers = Array.from({ length: availableParallelism() }, () => new Worker(file, { workerData: server }));
    this.#ready = Promise.all(this.#workers.map((worker) => answerOf(worker, (message) => message === 'ready')));
    for (const worker of this.#workers) {
      worker.on('error', (error) => {
        throw error;
      });
      worker.on('message', (message: ThreadMessage) => {
        if (typeof message === 'number') this.#count(message);
      });
    }
  }

  /** Resolves when all threads listen to their queue. */
  async ready(): Promise<void> {
    await this.#ready;
  }

  /** Resolves when `items` items have been handled since the last call. */
  async finish(items: number): Promise<void> {
    this.#expected = items;
    this.#count(0);
    await this.#done.promise;
    this.#handled = 0;
    this.#expected = Number.POSITIVE_INFINITY;
    this.#done = Promise.withResolvers();
  }

  /** Resolves with the totals of all threads since the last call. */
  async totals(): Promise<Totals> {
    const all: Totals = new Map();
    const asked = this.#workers.map((worker) => {
      const answer = answerOf(worker, (message) => message instanceof Map);
      worker.postMessage('totals');
      return answer;
    });
    for (const each of await Promise.all(asked)) mergeTotals(all, each as Totals);
    return all;
  }

  /** Requests the threads to close their connections, and waits until they have ended. */
  async end(): Promise<void> {
    await Promise.all(
      this.#workers.map((worker) => {
        const gone = new Promise((resolve) => worker.once('exit', resolve));
        worker.postMessage('end');
        return gone;
      }),
    );
  }

  #count(handled: number): void {
    this.#handled += handled;
    if (this.#handled > this.#expected)
      throw new Error(`Expected ${this.#expected} items, ${this.#handled} were handled.`);
    if (this.#handled === this.#expected) this.#done.resolve();
  }
}

function answerOf(worker: Worker, matches: (message: ThreadMessage) => boolean): Promise<ThreadMessage> {
  return new Promise((resolve) => {
    const listen = (message: ThreadMessage): void => {
      if (!matches(message)) return;
      worker.off('message', listen);
      resolve(message);
    };
    worker.on('message', listen);
  });
}
