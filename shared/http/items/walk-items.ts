/** Follows items through the chunks in which they ran, and how each chunk ended for them. */

import { followUps } from '../../batches/apply/follow-ups.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { CONTAINERS, revisionOf } from '../../contract/names.ts';
import type { DeadItem, OutcomeHeader, RetryItem } from '../../contract/outcome.ts';
import { rangeOf } from '../../processing/sources.ts';
import { type FrameName, frameOfChunk, readLines } from '../../results/chunk-pages.ts';
import type { Stored } from '../edge/app.ts';
import type { Step } from './schemas.ts';

/** The result or dead letter of an item. The dead letter is JSON text, because parsing would lose digits of numbers. */
export interface ItemEnd {
  /** The row of the chunk whose results frame contains the result, and the line in this frame. */
  result?: { row: ChunkRow; line: number } | undefined;
  deadLetter?: string;
}

/** An item of a chunk: its position in the batch, its failed attempts in earlier chunks, and the latest failure. */
interface ChunkItem {
  index: number;
  attempts: number;
  error?: string | undefined;
}

/** A chunk to start from, and its items in the order of its frame. */
export interface WalkStart {
  chunk: string;
  items: readonly ChunkItem[];
  /** Why the items are discarded. Absent if they run. */
  reason?: string | undefined;
}

/** Positions from `from` (included) to `end` (excluded). */
export interface Positions {
  from: number;
  end: number;
}

/** The reads of a walk, and its callback for each step. */
export interface Walk {
  rowOf: (chunk: string) => Promise<ChunkRow | undefined>;
  /** Like `linesOf`. */
  linesOf: (row: ChunkRow, name: FrameName) => Promise<string[]>;
  /** The requested items. Chunks without any of them are not read. */
  wanted: Positions;
  /** Called for each chunk in which a wanted item ran, in order. */
  visit: (index: number, step: Step, end: ItemEnd) => void;
}

/** Upper bound for the follow-ups of a split chunk with 100 attempts per part. Only damaged rows could lead to more. */
const MAX_CHUNKS = 5_000;

/** Reads the lines of a frame of a finished chunk. Returns none if the chunk has no such frame. */
export async function linesOf({ container }: Stored, row: ChunkRow, name: FrameName): Promise<string[]> {
  const frame = frameOfChunk(row, name);
  return frame === undefined ? [] : readLines(container(CONTAINERS.results), frame);
}

/**
 * Follows the items of a chunk through splits and retries. Reads each row once, and once the frames of retries and dead
 * letters of each finished chunk.
 * @throws FrameError if an outcome does not match the ledger.
 */
export async function walkItems(walk: Walk, start: WalkStart): Promise<void> {
  const ahead = [start];
  for (const [visited, here] of ahead.entries()) {
    if (visited === MAX_CHUNKS) return;
    const next = await leaveChunk(walk, here, await walk.rowOf(here.chunk));
    ahead.push(...next.filter((each) => each.items.some(({ index }) => isIn(walk.wanted, index))));
  }
}

const isIn = ({ from, end }: Positions, index: number): boolean => index >= from && index < end;

type Leave = (item: ChunkItem, step: Omit<Step, 'chunk' | 'revision'>, end?: ItemEnd) => void;

/** Reports how the chunk ended for its items. Returns the chunks in which they continue. */
async function leaveChunk(
  walk: Walk,
  { chunk, items, reason }: WalkStart,
  row: ChunkRow | undefined,
): Promise<WalkStart[]> {
  const revision = revisionOf(chunk);
  const leave: Leave = ({ index }, step, end = {}) => {
    if (isIn(walk.wanted, index)) walk.visit(index, { chunk, revision, ...step }, end);
  };
  // There is no row while the batch is being accepted: most rows of a large batch are written after its acceptance.
  if (row?.header === undefined) {
    for (const item of items)
      leave(item, { end: 'pending', dueAt: row?.dueAt, attempts: item.attempts, error: item.error });
    return [];
  }
  const { header, reference, doneAt: at } = row;
  if (header.ending === 'discarded') {
    for (const item of items) leave(item, { end: 'discarded', at, reason });
    return [];
  }
  if (header.ending !== 'split') return leaveOutcome(walk, { row, header, items }, leave);
  for (const item of items) leave(item, { end: 'split', at });
  const [begin] = rangeOf(reference);
  return followUps(reference, header).map((part) => {
    const [first, end] = rangeOf(part.reference);
    return { chunk: part.chunk, items: items.slice(first - begin, end - begin) };
  });
}

type Finished = Pick<WalkStart, 'items'> & { row: ChunkRow; header: OutcomeHeader };

/** Reports the items of a chunk that was processed. Results are in the order of its items, without retried and dead ones. */
async function leaveOutcome(walk: Walk, { row, header, items }: Finished, leave: Leave): Promise<WalkStart[]> {
  const at = row.doneAt;
  const retries = (await walk.linesOf(row, 'retries')).map((line) => JSON.parse(line) as RetryItem);
  const dead = new Map((await walk.linesOf(row, 'dead')).map(readDead));
  const retried = new Map(retries.map((retry) => [retry.index, retry]));
  const others = othersEnd(header);
  let line = 0;
  for (const item of items) {
    const retry = retried.get(item.index);
    const died = dead.get(item.index);
    if (retry) leave(item, { end: 'retried', at, ...latest(retry.attempts) });
    else if (died) leave(item, { end: 'dead', at, ...died.failures }, { deadLetter: died.deadLetter });
    else if (others !== 'succeeded') leave(item, { end: others, at });
    else leave(item, { end: 'succeeded', at, attempts: item.attempts }, { result: { row, line: line++ } });
  }
  const [next] = followUps(row.reference, header);
  if (next === undefined) return [];
  return [{ chunk: next.chunk, items: retries.map(({ index, attempts }) => ({ index, ...latest(attempts) })) }];
}

/** How a chunk ended for the items that it neither retried nor declared dead. */
function othersEnd({ counts: { succeeded, cancelled } }: OutcomeHeader): 'succeeded' | 'cancelled' | 'unknown' {
  if (cancelled === 0 && succeeded > 0) return 'succeeded';
  return succeeded === 0 && cancelled > 0 ? 'cancelled' : 'unknown';
}

function latest(attempts: RetryItem['attempts']): Omit<ChunkItem, 'index'> {
  const error = attempts.at(-1)?.error;
  return { attempts: attempts.length, error: typeof error === 'object' ? error.message : error };
}

/** Parses a dead letter once: a frame may contain megabytes of them. */
function readDead(deadLetter: string): [index: number, { deadLetter: string; failures: Omit<ChunkItem, 'index'> }] {
  const { index, attempts, error } = JSON.parse(deadLetter) as DeadItem;
  return [index, { deadLetter, failures: { attempts: attempts.length, error: error.message } }];
}
