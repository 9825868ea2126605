/** Time that advances only from one event to the next, so minutes of many processes take a moment. */
import { setImmediate as nextTurn } from 'node:timers/promises';

/** The owner of an event: the event does not happen while its owner is frozen, nor after its death. */
export interface Owner {
  /** Nothing happens before this time; Infinity means never again. */
  stillUntilMs: number;
}

interface Event {
  atMs: number;
  /** Events at the same time happen in the order in which they were planned. */
  order: number;
  owner: Owner | undefined;
  act: () => void;
}

export interface VirtualTime {
  readonly nowMs: number;
  /** Plans an event. If its owner is frozen at that time, it happens as soon as the owner continues. */
  after: (delayMs: number, act: () => void, owner?: Owner) => void;
  sleep: (delayMs: number, owner?: Owner) => Promise<void>;
  /** Reports that promises have been settled: code that waits for them continues before the next event. */
  settled: () => void;
  /** Advances the time. */
  run: (untilMs: number) => Promise<void>;
}

/** Creates a time that begins at 0. */
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
      // The next event is the last element.
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
