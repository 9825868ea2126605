/** Processes in virtual time: generators that yield a delay in seconds, or a signal to wait for. */

/** A signal that processes wait for. */
export interface Signal {
  waiting: (() => void)[];
}

/** A process of a simulation. */
export type Process = Generator<number | Signal, void, void>;

/** The clock and its scheduled events. */
export interface VirtualTime {
  now(): number;
  spawn(process: Process): void;
  /** Resumes the process that has waited longest for the signal. */
  raise(signal: Signal): void;
  /** Runs until no event is scheduled. */
  run(): void;
}

/** Creates a clock at 0. Events that are due at the same time happen in the order in which they were scheduled. */
export function createVirtualTime(): VirtualTime {
  let now = 0;
  // The last element is the next event: a sorted array is shorter code than a heap, and fast enough for some thousands.
  const planned: { at: number; act: () => void }[] = [];
  const plan = (at: number, act: () => void): void => {
    let [low, high] = [0, planned.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((planned[middle]?.at ?? 0) > at) low = middle + 1;
      else high = middle;
    }
    planned.splice(low, 0, { at, act });
  };
  const step = (process: Process): void => {
    const { value, done } = process.next();
    if (done) return;
    if (typeof value === 'number') plan(now + value, () => step(process));
    else value.waiting.push(() => step(process));
  };
  return {
    now: () => now,
    spawn: (process) => plan(now, () => step(process)),
    raise: (signal) => {
      const go = signal.waiting.shift();
      if (go) plan(now, go);
    },
    run: () => {
      for (let next = planned.pop(); next !== undefined; next = planned.pop()) {
        now = next.at;
        next.act();
      }
    },
  };
}
