import { beforeEach, describe, expect, it } from 'vitest';
import { createReloader, type Reloader } from '../../../../local/dev/reloader.ts';

/** A clock that does not move until a test moves it. */
class Clock {
  #now = 0;
  readonly #timers = new Set<{ at: number; callback: () => void }>();

  readonly after = (ms: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + ms, callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  };

  move(ms: number): void {
    this.#now += ms;
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.#now)) {
      this.#timers.delete(timer);
      timer.callback();
    }
  }
}

let clock: Clock;
/** The functions that finish each call of `apply`, in order. */
let applied: (() => void)[];
let reloader: Reloader;
const turn = () => new Promise((resolve) => setImmediate(resolve));
beforeEach(() => {
  clock = new Clock();
  applied = [];
  const apply = () => new Promise<void>((resolve) => void applied.push(resolve));
  reloader = createReloader({ apply, after: clock.after, quietMs: 40 });
});

describe('a reloader', () => {
  it('applies a burst of edits once, after its end', () => {
    reloader.edited();
    clock.move(39);
    reloader.edited();
    clock.move(39);
    expect(applied).toHaveLength(0);
    clock.move(1);
    expect(applied).toHaveLength(1);
  });

  it('never applies two edits at the same time: edits in the meantime follow', async () => {
    reloader.edited();
    clock.move(40);
    reloader.edited();
    clock.move(40);
    expect(applied).toHaveLength(1);
    reloader.edited();
    applied[0]?.();
    await turn();
    expect(applied).toHaveLength(2);
    applied[1]?.();
    await turn();
    expect(applied).toHaveLength(2);
  });

  it('applies immediately on request, and waits for edits in the meantime', async () => {
    let isSettled = false;
    reloader.edited();
    const settled = reloader.settled().then(() => {
      isSettled = true;
    });
    expect(applied).toHaveLength(1);
    reloader.edited();
    applied[0]?.();
    await turn();
    expect([applied.length, isSettled]).toEqual([2, false]);
    applied[1]?.();
    await settled;
  });

  it('waits for nothing without an edit', async () => {
    await reloader.settled();
    expect(applied).toHaveLength(0);
  });

  it('is closed after the current run has finished, and applies nothing more', async () => {
    reloader.edited();
    clock.move(40);
    reloader.edited();
    const closed = reloader.close();
    applied[0]?.();
    await closed;
    reloader.edited();
    clock.move(40);
    expect(applied).toHaveLength(1);
  });
});
