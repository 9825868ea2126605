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
    await new Promise((resolve) => setImmediate(resolve));
    this.#startMs = performance.now();
  }
}
