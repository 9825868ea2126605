import { ResultLines } from '../../outcome/encode/result-lines.ts';
import { DEAD, ENDED, FAILED, THROTTLED } from '../thread-status.ts';
import type { OtherEnd } from '../thread-task.ts';

/** An item that has ended: the bytes of its result, or how it ended otherwise. */
export type FreshEnd = readonly [slot: number, end: Uint8Array | OtherEnd];

/** Records how each item of one run of a chunk has ended, by slot. Each item ends once, in any order. */
export class ItemEnds {
  /** Whether this run has advanced any item. */
  progressed = false;
  readonly results: ResultLines;
  readonly #others = new Map<number, OtherEnd>();
  /** Receives the final state of each item whose handler was called. */
  readonly #states: Uint8Array;
  /** Slots in the order in which they have ended, and how many of them have been taken. */
  readonly #order: Uint32Array;
  #count = 0;
  #taken = 0;

  constructor(slots: number, states: Uint8Array) {
    this.results = new ResultLines(slots);
    this.#states = states;
    this.#order = new Uint32Array(slots);
  }

  has(slot: number): boolean {
    return this.results.has(slot) || this.#others.has(slot);
  }

  succeed(slot: number, json: string): void {
    this.results.add(slot, json);
    this.#record(slot, ENDED);
  }

  endOtherwise(slot: number, end: OtherEnd): void {
    this.#others.set(slot, end);
    // The state of an item that is passed on unrun does not change: it has left nothing in the thread.
    this.#record(slot, end.ran || end.kind === 'dead' ? stateOf(end) : undefined);
  }

  /** Returns the items that have ended since the last call; valid until the next item ends. */
  takeFresh(): FreshEnd[] {
    const slots = this.#order.subarray(this.#taken, this.#count);
    this.#taken = this.#count;
    return Array.from(slots, (slot) => [slot, this.#others.get(slot) ?? this.results.at(slot)] as const);
  }

  /**
   * Returns the ends without a result, in the order of the items.
   * @throws Error if an item has not ended.
   */
  others(): OtherEnd[] {
    if (this.#count < this.#order.length) throw new Error('An item of the chunk has not ended.');
    return [...this.#others].sort(([a], [b]) => a - b).map(([, ended]) => ended);
  }

  #record(slot: number, state: number | undefined): void {
    this.#order[this.#count] = slot;
    this.#count += 1;
    if (state === undefined) return;
    this.#states[slot] = state;
    this.progressed = true;
  }
}

function stateOf({ kind, failed }: OtherEnd): number {
  if (kind === 'dead') return DEAD;
  return failed ? FAILED : THROTTLED;
}
