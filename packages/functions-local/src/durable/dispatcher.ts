import type { Pacer, PacerFactory, PollResult } from './pacing.ts';

/** A queue of keyed work and how one key is run. */
export interface Work<Key> {
  /** What is due, running work included, at most `limit`. */
  due(now: number, limit: number): Key[];
  /** When the next work after `now` falls due. */
  nextDueAt(now: number): number | undefined;
  run(key: Key): Promise<void>;
}

/** Runs keyed work from a queue: never the same key twice at a time, never more than `capacity` at once. */
export class Dispatcher<Key> {
  readonly #work: Work<Key>;
  readonly #capacity: number;
  readonly #pacer: Pacer;
  readonly #running = new Map<Key, Promise<void>>();

  constructor(work: Work<Key>, capacity: number, createPacer: PacerFactory) {
    this.#work = work;
    this.#capacity = capacity;
    this.#pacer = createPacer((at) => this.#poll(at));
  }

  start(): void {
    this.#pacer.start();
  }

  /** Looks for new work; nothing to do when it is for a key that runs, since the end of a run looks again. */
  wake(key?: Key): void {
    if (key === undefined || !this.#running.has(key)) this.#pacer.wake();
  }

  stop(): void {
    this.#pacer.stop();
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  // One instant for both questions: work that falls due between two would be in neither answer.
  #poll(now: number): PollResult {
    const due = this.#work.due(now, this.#capacity + this.#running.size + 1);
    const waiting = due.filter((key) => !this.#running.has(key));
    const taken = waiting.slice(0, this.#capacity - this.#running.size);
    for (const key of taken) this.#running.set(key, this.#run(key));
    const full = this.#running.size >= this.#capacity;
    return { found: taken.length > 0, full, nextDueAt: this.#work.nextDueAt(now) };
  }

  async #run(key: Key): Promise<void> {
    try {
      await this.#work.run(key);
    } finally {
      this.#running.delete(key);
      this.#pacer.freed();
    }
  }
}
