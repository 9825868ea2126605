import { type LineSteps, runsOf } from '../../contract/line-steps.ts';

const PAGE_ITEMS = 65_536;

/** A set of positions, as bits in pages of 8 KiB that are created when needed: 100 million items need 12.5 MB. */
export class ItemSet {
  readonly #pages = new Map<number, Uint8Array>();

  /** Adds the items from `first` (included) to `end` (excluded). */
  add(first: number, end = first + 1): void {
    for (let item = first; item < end; ) {
      const number = Math.floor(item / PAGE_ITEMS);
      const page = this.#pages.get(number) ?? new Uint8Array(PAGE_ITEMS / 8);
      this.#pages.set(number, page);
      const pageEnd = Math.min(end, (number + 1) * PAGE_ITEMS);
      if (pageEnd - item === PAGE_ITEMS) {
        page.fill(0xff);
        item = pageEnd;
      }
      for (; item < pageEnd; item += 1) {
        const at = item % PAGE_ITEMS;
        page[at >>> 3] = (page[at >>> 3] ?? 0) | (1 << (at & 7));
      }
    }
  }

  has(item: number): boolean {
    const at = item % PAGE_ITEMS;
    return ((this.#pages.get(Math.floor(item / PAGE_ITEMS))?.[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0;
  }

  *[Symbol.iterator](): Generator<number> {
    for (const [number, page] of [...this.#pages].sort(([a], [b]) => a - b))
      for (let at = 0; at < page.length; at += 1)
        for (let [bits, item] = [page[at] ?? 0, number * PAGE_ITEMS + 8 * at]; bits > 0; bits >>>= 1, item += 1)
          if (bits & 1) yield item;
  }
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
