/** Compares the handler calls of a batch with its deliveries and with the attempts that its items must have. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CALL_BYTES, type CallRecord, readCall } from '../../app/items.ts';
import type { Truth } from '../../harness/truth.ts';
import type { Delivered } from './deliveries.ts';

/** The number of handler calls. */
export interface Calls {
  /** By position. */
  times: Uint16Array;
  /** By position: one bit for each attempt with a call. */
  attempts: Uint8Array;
  /** The start of each call, in no order. */
  atMs: number[];
}

/** The reported facts about a run's calls. */
export interface CallCounts {
  items: number;
  calls: number;
  /** The maximum of one item. */
  most: number;
  /** Calls beyond one for each attempt of each item. */
  repeated: number;
  /**
   * Items delivered beyond once for each attempt. `repeated` cannot be larger, except for calls that are made again
   * alone.
   */
  redelivered: number;
}

/** Maximum number of reported problems. */
const MAX_REPORTED = 5;

/** Reads the files of tests/faults/app/count-call.ts, and removes them. */
export async function takeCalls(folder: string, batch: string, items: number): Promise<Calls> {
  const calls: Calls = { times: new Uint16Array(items), attempts: new Uint8Array(items), atMs: [] };
  for (const name of (await readdir(folder)).filter((file) => file.startsWith(batch))) {
    const bytes = await readFile(join(folder, name));
    for (let at = 0; at + CALL_BYTES <= bytes.length; at += CALL_BYTES) addCall(calls, readCall(bytes, at));
    await rm(join(folder, name));
  }
  return calls;
}

function addCall(calls: Calls, { position, attempt, atMs }: CallRecord): void {
  const { times, attempts } = calls;
  times[position] = (times[position] ?? 0) + 1;
  attempts[position] = (attempts[position] ?? 0) | (1 << attempt);
  calls.atMs.push(atMs);
}

/** Sums up the calls of a run. */
export function countCalls(truth: Truth, { times }: Calls, delivered: ReadonlyMap<string, Delivered>): CallCounts {
  let [calls, most, wanted, repeated] = [0, 0, 0, 0];
  for (const [position, n] of times.entries()) {
    calls += n;
    most = Math.max(most, n);
    const attempts = truth.attempts.get(position) ?? 1;
    wanted += attempts;
    // Compares item by item, so that an item that a cancel kept from being called cannot hide another one.
    repeated += Math.max(0, n - attempts);
  }
  const items = [...delivered.values()].reduce((sum, chunk) => sum + chunk.items, 0);
  return { items: times.length, calls, most, repeated, redelivered: items - wanted };
}

/** Returns the errors in the calls of a finished batch. */
export function wrongCalls(
  truth: Truth,
  calls: Calls,
  { delivered, isCancelled }: { delivered: ReadonlyMap<string, Delivered>; isCancelled: boolean },
): string[] {
  return [...wrongAttempts(truth, calls, isCancelled), ...tooMany(truth, calls, delivered)].slice(0, MAX_REPORTED);
}

/** Each required attempt of an item was made, and no other one; in a cancelled batch, some may be missing. */
function* wrongAttempts(truth: Truth, { times, attempts }: Calls, isCancelled: boolean): Generator<string> {
  for (const [position, made] of attempts.entries()) {
    const last = truth.attempts.get(position) ?? 1;
    const wanted = ((1 << last) - 1) << 1;
    if (isCancelled ? (made & ~wanted) !== 0 : made !== wanted)
      yield `item ${position}: ${times[position]} calls, attempts ${bits(made)}, not ${bits(wanted)}`;
  }
}

/**
 * A delivery runs each of its items once, and once more, alone, if an error from outside its promise occurs. So each
 * call is explained by a delivery, and each delivery beyond the first by a lost lease or a duplicate message.
 */
function* tooMany(truth: Truth, { times }: Calls, delivered: ReadonlyMap<string, Delivered>): Generator<string> {
  for (const [chunk, { first, end, items }] of delivered) {
    let calls = 0;
    for (let position = first; position < end; position += 1) {
      const n = times[position] ?? 0;
      calls += truth.setAside.has(position) ? Math.ceil(n / 2) : n;
    }
    if (calls > items) yield `chunk ${chunk}: ${calls} calls, ${items} items delivered`;
  }
}

const bits = (set: number): string =>
  [...set.toString(2)]
    .reverse()
    .flatMap((bit, index) => (bit === '1' ? [index] : []))
    .join(' ');
