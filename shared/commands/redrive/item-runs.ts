/** Positions of items as runs. */
import { type LineSteps, runsOf } from '../../contract/line-steps.ts';
import { Turns } from '../../turns.ts';

/**
 * Ascending runs of items, `first` (included) and `end` (excluded) one after the other. A million scattered items need 16 MB, and
 * a run of any length 16 bytes.
 */
export type ItemRuns = Float64Array<ArrayBuffer>;

const MIN_ROOM = 16;
/** Runs that are merged between two checks of the time. */
const MERGED_AT_ONCE = 4_096;

/** Collects runs in any order. */
export class RunCollector {
  #runs = new Float64Array(MIN_ROOM);
  #size = 0;
  /** Where lists of ascending runs begin. */
  readonly #lists = [0];

  /** Adds the items from `first` (included) to `end` (excluded), which must not be among those already added. */
  add(first: number, end: number): void {
    const last = this.#runs[this.#size - 1];
    if (last === first) {
      this.#runs[this.#size - 1] = end;
      return;
    }
    if (last !== undefined && last > first) this.#lists.push(this.#size);
    if (this.#size === this.#runs.length) {
      const larger = new Float64Array(2 * this.#size);
      larger.set(this.#runs);
      this.#runs = larger;
    }
    this.#runs[this.#size++] = first;
    this.#runs[this.#size++] = end;
  }

  /** Sorts what was added, while other work of the process runs. */
  async sorted(): Promise<ItemRuns> {
    const turns = new Turns();
    let lists = this.#lists.map((begin, n) => this.#runs.subarray(begin, this.#lists[n + 1] ?? this.#size));
    while (lists.length > 1) {
      const merged: ItemRuns[] = [];
      for (let at = 0; at < lists.length; at += 2)
        merged.push(await merge(lists[at] ?? NONE, lists[at + 1] ?? NONE, turns));
      lists = merged;
    }
    return lists[0] ?? NONE;
  }
}

const NONE = new Float64Array(0);

async function merge(a: ItemRuns, b: ItemRuns, turns: Turns): Promise<ItemRuns> {
  const all = new Float64Array(a.length + b.length);
  let [inA, inB] = [0, 0];
  while (inA + inB < all.length) {
    for (const end = inA + inB + 2 * MERGED_AT_ONCE; inA + inB < Math.min(end, all.length); ) {
      const isA = (a[inA] ?? Number.POSITIVE_INFINITY) < (b[inB] ?? Number.POSITIVE_INFINITY);
      const [list, at] = isA ? [a, inA] : [b, inB];
      all[inA + inB] = list[at] ?? 0;
      all[inA + inB + 1] = list[at + 1] ?? 0;
      if (isA) inA += 2;
      else inB += 2;
    }
    await turns.next();
  }
  return all;
}

/** Returns whether an item is in ascending runs. */
export function hasItem(runs: ItemRuns, item: number): boolean {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((runs[middle] ?? 0) <= item) low = middle + 1;
    else high = middle;
  }
  // An odd number of firsts and ends is not above the item: the last of them is a first.
  return low % 2 === 1;
}

/** Yields the items of ascending runs. */
export function* itemsIn(runs: ItemRuns): Generator<number> {
  for (let at = 0; at < runs.length; at += 2)
    for (let item = runs[at] ?? 0; item < (runs[at + 1] ?? 0); item += 1) yield item;
}

/** Yields the runs of ascending items of which the first and the distances between them are stored. */
export function* runsFrom(firstItem: number, steps: LineSteps): Generator<[first: number, end: number]> {
  let [first, end] = [firstItem, firstItem + 1];
  for (const [count, step] of runsOf(steps)) {
    if (step === 1) end += count;
    for (let n = 0; step > 1 && n < count; n += 1) {
      yield [first, end];
      first = end - 1 + step;
      end = first + 1;
    }
  }
  yield [first, end];
}
