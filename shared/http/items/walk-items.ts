/** Follows items through the chunks that they ran in, and how each chunk ended for them. */
import type { ContainerClient } from '@azure/storage-blob';
import { followUps } from '../../batches/apply/follow-ups.ts';
import type { BatchRow } from '../../batches/batch-row.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { redrivesWithChunks } from '../../commands/redrive/current-dead.ts';
import type { Redrive } from '../../commands/redrive/redrive-blob.ts';
import { CONTAINERS, redriveChunkId, revisionOf } from '../../contract/names.ts';
import type { DeadItem, OutcomeHeader, RetryItem } from '../../contract/outcome.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import type { Reference } from '../../contract/reference.ts';
import { rangeOf } from '../../processing/sources.ts';
import { type FrameName, frameOfChunk, readLines } from '../../results/chunk-pages.ts';
import type { Table } from '../../storage/table.ts';

export interface ItemsDeps {
  table: Table;
  container: (name: string) => ContainerClient;
}

/**
 * How a chunk ended for an item. `unknown`: the chunk was cancelled in the middle, and its results do not name their
 * items.
 */
export const STEP_ENDS = [
  'pending',
  'split',
  'retried',
  'succeeded',
  'dead',
  'discarded',
  'cancelled',
  'unknown',
] as const;
export type StepEnd = (typeof STEP_ENDS)[number];

/** One chunk that the item ran in. */
export interface Step {
  chunk: string;
  revision: number;
  end: StepEnd;
  /** When the outcome of the chunk was recorded. */
  at?: string | undefined;
  /** Of a pending retry: when it may run. */
  dueAt?: string | undefined;
  /** Failed attempts so far, those of earlier chunks included; absent where the outcome does not record it. */
  attempts?: number;
  /** The latest failure. */
  error?: string;
  /** Why the item was discarded. */
  reason?: string | undefined;
}

/** What an item ended with. The dead letter is JSON text: parsing would lose digits of numbers. */
export interface ItemEnd {
  /** The row of the chunk in whose results frame the result is, and its line there. */
  result?: { row: ChunkRow; line: number };
  deadLetter?: string;
}

/** An item of a chunk: its position in the batch, its failed attempts in earlier chunks, and the latest failure. */
interface ChunkItem {
  index: number;
  attempts: number;
  error?: string;
}

/** A chunk to begin with, and its items in the order of its frame. */
export interface WalkStart {
  chunk: string;
  items: readonly ChunkItem[];
  /** Why they are discarded; absent: they run. */
  reason?: string | undefined;
}

/** Positions from `from` on, and before `end`. */
export interface Positions {
  from: number;
  end: number;
}

/** What a walk reads, and what it calls for each step. */
export interface Walk {
  rowOf: (chunk: string) => Promise<ChunkRow | undefined>;
  /** As `linesOf`. */
  linesOf: (row: ChunkRow, name: FrameName) => Promise<string[]>;
  /** The items that are asked for: chunks without one of them are not read. */
  wanted: Positions;
  /** Called for each chunk that a wanted item ran in, in their order. */
  visit: (index: number, step: Step, end: ItemEnd) => void;
}

/** More chunks than those of one that was split, each of 100 attempts, would come from a damaged row. */
const MAX_CHUNKS = 5_000;

/** The chunk of the upload that an entry of the payload's index describes; its frame is not read. */
export const startOfUpload = (chunk: string, { firstItem, items }: ChunkEntry): WalkStart => ({
  chunk,
  items: Array.from({ length: items }, (_, n) => ({ index: firstItem + n, attempts: 0 })),
});

/** The redrives of a batch that have chunks and are there, the earliest first. Costs three operations per revision. */
export async function readRedrives(deps: ItemsDeps, batch: BatchRow): Promise<Redrive[]> {
  const redrives: Redrive[] = [];
  for await (const { stored } of redrivesWithChunks(deps, batch)) if (stored) redrives.push(stored.redrive);
  return redrives;
}

/** Reads the lines of a frame of a finished chunk; none if it has no such frame. */
export async function linesOf({ container }: ItemsDeps, row: ChunkRow, name: FrameName): Promise<string[]> {
  const frame = frameOfChunk(row, name);
  return frame === undefined ? [] : readLines(container(CONTAINERS.results), frame);
}

/**
 * The chunks of a redrive or discard that took up wanted items. Attempts began anew in them. The one chunk of a discard may
 * have a million items, and no frame whose order counts: only the wanted ones of it.
 */
export const startsOfRedrive = ({ revision, chunks, reason }: Redrive, { from, end }: Positions): WalkStart[] =>
  chunks.flatMap(({ runs }, number) => {
    if (!runs.some(([first, count]) => first < end && first + count > from)) return [];
    const taken = reason === undefined ? runs : runs.map((run) => within(run, { from, end }));
    const items = taken.flatMap(([first, count]) =>
      Array.from({ length: count }, (_, n) => ({ index: first + n, attempts: 0 })),
    );
    return [{ chunk: redriveChunkId(revision, number), items, reason }];
  });

/** The part of a run of positions that is wanted. */
function within([first, count]: readonly [number, number], { from, end }: Positions): [first: number, count: number] {
  const start = Math.max(first, from);
  return [start, Math.max(0, Math.min(first + count, end) - start)];
}

/**
 * Follows the items of a chunk through splits and retries. Reads each row once, and the frames of retries and dead
 * letters of each finished chunk that has them.
 * @throws FrameError when an outcome is not what the ledger says.
 */
export async function walkItems(walk: Walk, start: WalkStart): Promise<void> {
  const ahead = [start];
  for (const [visited, { chunk, items, reason }] of ahead.entries()) {
    if (visited === MAX_CHUNKS) return;
    const row = await walk.rowOf(chunk);
    const next = await leaveChunk(walk, { chunk, items, reason, row });
    ahead.push(...next.filter((each) => each.items.some(({ index }) => isIn(walk.wanted, index))));
  }
}

const isIn = ({ from, end }: Positions, index: number): boolean => index >= from && index < end;

interface Here extends WalkStart {
  row: ChunkRow | undefined;
}

type Leave = (item: ChunkItem, step: Omit<Step, 'chunk' | 'revision'>, end?: ItemEnd) => void;

/** Reports how the chunk ended for its items. Returns the chunks in which they continue. */
async function leaveChunk(walk: Walk, here: Here): Promise<WalkStart[]> {
  const { chunk, items, row } = here;
  const revision = revisionOf(chunk);
  const leave: Leave = ({ index }, step, end = {}) => {
    if (isIn(walk.wanted, index)) walk.visit(index, { chunk, revision, ...step }, end);
  };
  // Without a row the batch is being accepted: the rows of a large one follow its acceptance.
  if (row?.header === undefined) {
    for (const item of items) leave(item, { end: 'pending', dueAt: row?.dueAt, ...failuresOf(item) });
    return [];
  }
  const { header, reference, doneAt: at } = row;
  if (header.ending === 'discarded') {
    for (const item of items) leave(item, { end: 'discarded', at, reason: here.reason });
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

interface Finished {
  row: ChunkRow & { reference: Reference };
  header: OutcomeHeader;
  items: readonly ChunkItem[];
}

/** Results stand in the order of the chunk's items, without those that were retried or died. */
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

const failuresOf = ({ index: _index, ...failures }: ChunkItem): Omit<ChunkItem, 'index'> => failures;

function latest(attempts: RetryItem['attempts']): Omit<ChunkItem, 'index'> {
  const error = attempts.at(-1)?.error;
  const text = typeof error === 'object' ? error.message : error;
  return { attempts: attempts.length, ...(text === undefined ? {} : { error: text }) };
}

/** Reads a dead letter by the position of its item. Parsed once: a frame may hold megabytes of them. */
function readDead(deadLetter: string): [index: number, { deadLetter: string; failures: Omit<ChunkItem, 'index'> }] {
  const { index, attempts, error } = JSON.parse(deadLetter) as DeadItem;
  return [index, { deadLetter, failures: { attempts: attempts.length, error: error.message } }];
}
