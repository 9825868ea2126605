import type { Pacer, PacerFactory, PollResult } from './pacer.ts';
import type { Invoke, Slots } from './workers.ts';

/** A queue of keyed work, and the function that runs one key. */
export interface Work<Key> {
  /** Returns the keys that are due, those of running work included, at most `limit`. */
  due(now: number, limit: number): Key[];
  /** Returns when the next work after `now` is due. */
  nextDueAt(now: number): number | undefined;
  /** Runs one key. `invoke` runs its function on the worker that owns the slot. */
  run(key: Key, invoke: Invoke): Promise<void>;
}

/** Runs keyed work from a queue. It never runs a key twice at the same time and never uses more slots than there are. */
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

  /** Polls for new work. Does nothing if the work is for a running key, since the end of a run polls again. */
  wake(key?: Key): void {
    if (key === undefined || !this.#running.has(key)) this.#pacer.wake();
  }

  /** Polls for work for the slots of a new worker. */
  useSlots(): void {
    this.#pacer.freed();
  }

  stop(): void {
    this.#pacer.stop();
  }

  /** Resolves when no work is running. */
  async settled(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  // Both reads use the same time. Otherwise, work that becomes due between them would be in neither result.
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
