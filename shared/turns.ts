/** Lets other work of the process run during long computations. */

/** Maximum time in milliseconds without a turn of the event loop: health and leases of the process wait for it. */
const TURN_MS = 10;

/** A computation of many small steps in the main thread, which each take well below 10 ms. */
export class Turns {
  #startMs = performance.now();

  /**
   * Call it between two steps: if 10 ms have passed since the last turn of the event loop here, other work runs first. Returns
   * undefined if there is nothing to wait for, because an await per step would cost more than many steps.
   */
  next(): Promise<void> | undefined {
    return performance.now() - this.#startMs < TURN_MS ? undefined : this.#wait();
  }

  async #wait(): Promise<void> {
    await turn();
    this.#startMs = performance.now();
  }
}

/** Computations that wait. One continues per turn of the event loop: five at once would occupy five times as much of each. */
const waiting: (() => void)[] = [];

function turn(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (waiting.push(resolve) === 1) setImmediate(continueNext);
  return promise;
}

function continueNext(): void {
  const next = waiting.shift();
  if (waiting.length > 0) setImmediate(continueNext);
  next?.();
}
