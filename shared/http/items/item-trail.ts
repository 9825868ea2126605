/** What became of one item: the chunks that it ran in, one after another, and how each of them left it. */
import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { followUps } from '../../batches/follow-ups.ts';
import { readChunk } from '../../batches/ledger.ts';
import { appliedRedrive } from '../../commands/redrive/current-dead.ts';
import { CONTAINERS, chunkId, redriveChunkId, revisionOf } from '../../contract/names.ts';
import type { DeadItem, OutcomeHeader, RetryItem } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import { readRange } from '../../processing/fetch-frames.ts';
import { rangeOf, readSources } from '../../processing/sources.ts';
import { type FrameName, frameOfChunk, readLines } from '../../results/chunk-pages.ts';
import type { Table } from '../../storage/table.ts';

export interface TrailDeps {
  table: Table;
  container: (name: string) => ContainerClient;
}

/** How a chunk left the item. `unknown`: the chunk was cancelled in the middle, and its results do not name their items. */
export const STEP_ENDS = ['pending', 'split', 'retried', 'succeeded', 'dead', 'cancelled', 'unknown'] as const;
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
}

/** All steps in their order, and what the last one ended with, as JSON text: parsing would lose digits of numbers. */
export interface Trail {
  steps: Step[];
  result?: string;
  deadLetter?: string;
}

/** More follow-ups than 100 attempts, each of them split as often as a chunk can be, would come from a damaged row. */
const MAX_STEPS = 1_000;

/**
 * Follows an item from the chunk of the upload through splits, retries and redrives. `number` is of that chunk in the
 * payload's index. Costs one read of a row per step, one or two of frames, and two more where the item succeeded.
 * @throws FrameError when an outcome is not what the ledger says.
 */
export async function followItem(
  deps: TrailDeps,
  batch: BatchRow,
  { position, number }: { position: number; number: number },
): Promise<Trail> {
  let trail: Trail = { steps: [] };
  for (const start of [chunkId(number), ...(await redrivesOf(deps, batch, position))]) {
    trail = await followFrom(deps, { batch: batch.id, position, start, steps: trail.steps });
  }
  return trail;
}

/** The chunks of redrives that took the item up, the earliest first. */
async function redrivesOf(deps: TrailDeps, batch: BatchRow, position: number): Promise<string[]> {
  const chunks: string[] = [];
  for (let revision = 1; revision <= batch.revision; revision += 1) {
    if (batch.reportRedrives?.[revision] !== undefined) continue;
    const stored = await appliedRedrive(deps, batch, revision);
    const number = stored?.redrive.chunks.findIndex(({ runs }) =>
      runs.some(([first, count]) => position >= first && position < first + count),
    );
    if (number !== undefined && number >= 0) chunks.push(redriveChunkId(revision, number));
  }
  return chunks;
}

interface Walk {
  batch: string;
  position: number;
  start: string;
  steps: readonly Step[];
}

async function followFrom(deps: TrailDeps, { batch, position, start, steps: before }: Walk): Promise<Trail> {
  const steps = [...before];
  for (let chunk: string | undefined = start; chunk !== undefined && steps.length < MAX_STEPS; ) {
    const row = await readChunk(deps.table, batch, chunk);
    const { step, next, ...ended } = await stepOf(deps, row, position);
    steps.push({ chunk, revision: revisionOf(chunk), ...step });
    if (next === undefined) return { steps, ...ended };
    chunk = next;
  }
  return { steps };
}

interface StepResult extends Omit<Trail, 'steps'> {
  step: Omit<Step, 'chunk' | 'revision'>;
  /** The chunk in which the item goes on. */
  next?: string | undefined;
}

async function stepOf(deps: TrailDeps, row: ChunkRow | undefined, position: number): Promise<StepResult> {
  // Without a row the batch is being accepted: the rows of a large one follow its acceptance.
  if (row?.header === undefined) return { step: { end: 'pending', dueAt: row?.dueAt } };
  const { header, reference, doneAt: at } = row;
  if (header.ending === 'split')
    return { step: { end: 'split', at }, next: await partWith(deps, { reference, header, position }) };
  const retries = await linesOf(deps, row, 'retries');
  const found = retries.find((line) => indexIn(line) === position);
  if (found !== undefined) {
    const { attempts } = JSON.parse(found) as RetryItem;
    const [next] = followUps(reference, header);
    return { step: { end: 'retried', at, ...latest(attempts) }, next: next?.chunk };
  }
  const dead = await linesOf(deps, row, 'dead');
  const deadLetter = dead.find((line) => indexIn(line) === position);
  if (deadLetter !== undefined) {
    const { attempts, error } = JSON.parse(deadLetter) as DeadItem;
    return { step: { end: 'dead', at, attempts: attempts.length, error: error.message }, deadLetter };
  }
  return resultOf(deps, row, { position, others: [...retries, ...dead] });
}

function latest(attempts: RetryItem['attempts']): Pick<Step, 'attempts' | 'error'> {
  const error = attempts.at(-1)?.error;
  const text = typeof error === 'object' ? error.message : error;
  return { attempts: attempts.length, ...(text === undefined ? {} : { error: text }) };
}

/** The part of a split chunk that has the item. */
async function partWith(
  deps: TrailDeps,
  { reference, header, position }: { reference: Reference; header: OutcomeHeader; position: number },
): Promise<string | undefined> {
  const sources = await readItems(deps, reference);
  const line = sources.find(({ index }) => index === position)?.line;
  const parts = followUps(reference, header);
  return parts.find((part) => {
    const [first, end] = rangeOf(part.reference);
    return line !== undefined && line >= first && line < end;
  })?.chunk;
}

async function readItems({ container }: TrailDeps, reference: Reference): Promise<ReturnType<typeof readSources>> {
  const frame = await readRange(container(reference.container), reference);
  return frame === undefined ? [] : readSources(reference, frame);
}

const indexIn = (line: string): number => (JSON.parse(line) as { index: number }).index;

async function linesOf({ container }: TrailDeps, row: ChunkRow, name: FrameName): Promise<string[]> {
  const frame = frameOfChunk(row, name);
  return frame === undefined ? [] : readLines(container(CONTAINERS.results), frame);
}

/** Results stand in the order of the chunk's items, without those that were retried or died: `others`. */
async function resultOf(
  deps: TrailDeps,
  row: ChunkRow,
  { position, others }: { position: number; others: readonly string[] },
): Promise<StepResult> {
  const { header, doneAt: at, reference } = row;
  const { succeeded = 0, cancelled = 0 } = header?.counts ?? {};
  if (succeeded === 0) return { step: { end: 'cancelled', at } };
  if (cancelled > 0) return { step: { end: 'unknown', at } };
  const elsewhere = new Set(others.map(indexIn));
  const left = (await readItems(deps, reference)).filter(({ index }) => !elsewhere.has(index));
  const source = left.findIndex(({ index }) => index === position);
  const attempts = left[source]?.attempts.length;
  const result = (await linesOf(deps, row, 'results'))[source];
  return {
    step: { end: 'succeeded', at, ...(attempts === undefined ? {} : { attempts }) },
    ...(result === undefined ? {} : { result }),
  };
}
