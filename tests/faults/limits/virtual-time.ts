/** Time that passes only from one event to the next: minutes of many processes take a moment. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Whoever an event belongs to: it does not happen while its owner stands still, nor after its death. */
export interface Owner {
  /** Nothing happens before this; Infinity: never again. */
  stillUntilMs: number;
}

interface Event {
  atMs: number;
  /** Events of one moment happen in the order in which they were planned. */
  order: number;
  owner: Owner | undefined;
  act: () => void;
}

export interface VirtualTime {
  readonly nowMs: number;
  /** Plans an event; with an owner that stands still then, it happens as soon as the owner goes on. */
  after: (delayMs: number, act: () => void, owner?: Owner) => void;
  sleep: (delayMs: number, owner?: Owner) => Promise<void>;
  /** Says that promises have been settled: what waits for them goes on before the next event. */
  settled: () => void;
  /** Lets time pass until then. */
  run: (untilMs: number) => Promise<void>;
}

/** Makes a time that begins at 0. */
export function createVirtualTime(): VirtualTime {
  const events: Event[] = [];
  let nowMs = 0;
  let planned = 0;
  let mustSettle = false;
  const insert = (event: Event): void => {
    let [low, high] = [0, events.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = events[middle] as Event;
      // The next one is at the end.
      if (other.atMs > event.atMs || (other.atMs === event.atMs && other.order > event.order)) low = middle + 1;
      else high = middle;
    }
    events.splice(low, 0, event);
  };
  const after: VirtualTime['after'] = (delayMs, act, owner) => {
    planned += 1;
    insert({ atMs: nowMs + Math.max(0, delayMs), order: planned, owner, act });
  };
  return {
    get nowMs() {
      return nowMs;
    },
    after,
    sleep: (delayMs, owner) =>
      new Promise((resolve) => {
        const wake = (): void => {
          mustSettle = true;
          resolve();
        };
        after(delayMs, wake, owner);
      }),
    settled: () => {
      mustSettle = true;
    },
    run: async (untilMs) => {
      await nextTurn();
      for (let next = events.at(-1); next && next.atMs <= untilMs; next = events.at(-1)) {
        events.pop();
        nowMs = next.atMs;
        const stillUntilMs = next.owner?.stillUntilMs ?? 0;
        if (stillUntilMs <= nowMs) next.act();
        else if (Number.isFinite(stillUntilMs)) insert({ ...next, atMs: stillUntilMs });
        if (!mustSettle) continue;
        mustSettle = false;
        await nextTurn();
      }
      nowMs = untilMs;
    },
  };
}
