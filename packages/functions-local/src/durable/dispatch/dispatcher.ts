import type { Pacer, PacerFactory, PollResult } from './pacing.ts';
import type { Invoke, Slots } from './workers.ts';

/** A queue of keyed work and how one key is run. */
export interface Work<Key> {
  /** What is due, running work included, at most `limit`. */
  due(now: number, limit: number): Key[];
  /** When the next work after `now` falls due. */
  nextDueAt(now: number): number | undefined;
  /** Runs one key; its function runs by `invoke`, on the worker that has the slot. */
  run(key: Key, invoke: Invoke): Promise<void>;
}

/** Runs keyed work from a queue: never the same key twice at a time, never more than there are slots. */
export class Dispatcher<Key> {
  readonly #work: Work<Key>;
  readonly #slots: Slots;
  readonly #pacer: Pacer;
  readonly #running = new Map<Key, Promise<void>>();

  constructor(work: Work<Key>, slots: Slots, createPacer: PacerFactory) {
    this.#work = work;
    this.#slots = slots;
    this.#pacer = createPacer((at) => this.#poll(at));
  }

  start(): void {
    this.#pacer.start();
  }

  /** Looks for new work; nothing to do when it is for a key that runs, since the end of a run looks again. */
  wake(key?: Key): void {
    if (key === undefined || !this.#running.has(key)) this.#pacer.wake();
  }

  /** Uses slots that have come with a worker. */
  useSlots(): void {
    this.#pacer.freed();
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
    const free = this.#slots.free();
    const due = this.#work.due(now, free + this.#running.size + 1);
    const waiting = due.filter((key) => !this.#running.has(key));
    const taken = waiting.slice(0, free);
    for (const key of taken) this.#running.set(key, this.#run(key));
    const full = this.#slots.free() === 0;
    return { found: taken.length > 0, full, nextDueAt: this.#work.nextDueAt(now) };
  }

  async #run(key: Key): Promise<void> {
    const slot = this.#slots.take();
    try {
      await this.#work.run(key, slot.invoke);
    } finally {
      slot.release();
      this.#running.delete(key);
      this.#pacer.freed();
    }
  }
}
