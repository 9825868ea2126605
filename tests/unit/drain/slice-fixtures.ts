import type { SliceEffects } from '../../../shared/drain/slice.ts';
import { emptyCounts, type WorkCounts } from '../../../shared/gate/planning/slice-result.ts';

export interface World extends SliceEffects<number> {
  asked: number[];
  slept: number[];
  /** Messages that were returned to the queue: the slice was already over when their round started. */
  back: number[];
}

/** Receives return the lists one after the other, then nothing; each round lasts `roundMs`. */
export function world(
  lists: number[][],
  { roundMs = 0, total = {} }: { roundMs?: number; total?: Partial<WorkCounts> } = {},
): World {
  let now = 0;
  const asked: number[] = [];
  const slept: number[] = [];
  const back: number[] = [];
  return {
    asked,
    slept,
    back,
    receive: async (count) => {
      asked.push(count);
      return lists.shift() ?? [];
    },
    process: async (messages, time) => {
      if (time.isOver()) back.push(...messages);
      now += roundMs;
      return { ...emptyCounts(), received: messages.length, done: messages.length, ...total };
    },
    mayContinue: async () => true,
    mustEnd: () => false,
    beginUntilMs: Number.POSITIVE_INFINITY,
    nowMs: () => now,
    sleep: async (ms) => {
      slept.push(ms);
      now += ms;
    },
    random: () => 0.5,
  };
}
