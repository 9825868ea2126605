/** Processes in virtual time: generators that yield how long they wait, in seconds, or what they wait for. */

/** Something that a process waits for. */
export interface Signal {
  waiting: (() => void)[];
}

/** A process of a simulation. */
export type Process = Generator<number | Signal, void, void>;

/** The clock, and what happens when. */
export interface VirtualTime {
  now(): number;
  spawn(process: Process): void;
  /** Lets the process go on that has waited longest for the signal. */
  raise(signal: Signal): void;
  /** Runs until nothing is left to happen. */
  run(): void;
}

/** Makes a clock at 0. What is due at the same time happens in the order in which it was planned. */
export function createVirtualTime(): VirtualTime {
  let now = 0;
  // The next to happen is the last: a sorted array is shorter than a heap, and quick enough for some thousands.
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
