/** Storage in which one call of an operation waits while something else happens in other processes. */
import { afterAll, beforeAll } from 'vitest';
import { startStorage } from '../../integration/in-process/storage.ts';
import { World } from '../../integration/in-process/world.ts';

export class Interrupted {
  world!: World;
  /** Another process on the same storage, which collects small batches itself, as an app does by default. */
  collecting!: World;
  stop: () => Promise<void> = async () => undefined;
  /** The call that waited last, for the message of a failure. */
  call = '';
  #calls = 0;
  #last = '';
  #plan: { at: number; meanwhile: () => Promise<void> } | undefined;

  /**
   * Runs an operation whose storage call number `at`, from 1, waits for `meanwhile`. Returns false if the operation made
   * fewer calls. Its problems and errors count as its end: what it leaves is what matters.
   */
  async run(operation: () => Promise<unknown>, at: number, meanwhile: () => Promise<void>): Promise<boolean> {
    this.#calls = 0;
    this.#last = '';
    this.#plan = { at, meanwhile };
    await operation().catch(() => undefined);
    const isReached = this.#plan === undefined;
    this.#plan = undefined;
    return isReached;
  }

  async before(call: string): Promise<void> {
    // Nothing changes between two reads, and messages that are put one after the other are like the first.
    const isRead = /^\w+ (GET|HEAD)/.test(call);
    const isLikeLast = isRead ? this.#last === 'read' : call.includes('/messages') && call === this.#last;
    this.#last = isRead ? 'read' : call;
    if (this.#plan === undefined || isLikeLast) return;
    this.#calls += 1;
    const { at, meanwhile } = this.#plan;
    if (this.#calls < at) return;
    this.#plan = undefined;
    this.call = `${at}: ${call}`;
    await meanwhile();
  }
}

/** An interruptible storage, and the whole pipeline on it, for the tests of one file. */
export function useInterrupted(): Interrupted {
  const use = new Interrupted();
  beforeAll(async () => {
    const storage = await startStorage({
      client: {
        intercept: async ({ service, method, path }, forward) => {
          await use.before(`${service} ${method} ${path}`);
          return forward();
        },
      },
    });
    use.stop = storage.stop;
    use.world = new World(storage);
    use.collecting = new World(storage, use.world.topic, {});
  });
  afterAll(() => use.stop());
  return use;
}
