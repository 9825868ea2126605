/** Which dead letters of a batch stand: those of items that no later redrive has taken up. */
import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import { doneChunks } from '../../batches/done-chunks.ts';
import { readChunk } from '../../batches/ledger.ts';
import { CONTAINERS, redriveChunkId, revisionOf } from '../../contract/names.ts';
import { type DeadItem, itemTextIn } from '../../contract/outcome.ts';
import { type ChunkFrame, frameOfChunk, readLines } from '../../results/chunk-pages.ts';
import type { Table } from '../../storage/table.ts';
import { readRedrive, type StoredRedrive } from './redrive-blob.ts';

export interface DeadLetterDeps {
  table: Table;
  container: (name: string) => ContainerClient;
}

/** The columns of a batch row about its redrives. */
export type Revisions = Pick<BatchRow, 'id' | 'revision' | 'reportRedrives'>;

/** Says whether a dead letter of `chunk` still stands for its item. */
export interface CurrentDead {
  isCurrent(chunk: string, index: number): boolean;
}

/**
 * What is needed to distinguish the current dead letters of a batch from those that were redriven since: nothing for a batch
 * that never was, else the indices of each redrive (three operations per revision). A redrive of the report alone has
 * none.
 */
export async function readCurrentDead(deps: DeadLetterDeps, batch: Revisions): Promise<CurrentDead> {
  const latest = new Map<number, number>();
  for await (const { revision, stored } of redrivesWithChunks(deps, batch)) {
    if (!stored) throw new Error(`The redrive of batch ${batch.id}, revision ${revision}, is not there.`);
    recordRevision(latest, revision, stored);
  }
  return { isCurrent: (chunk, index) => (latest.get(index) ?? 0) <= revisionOf(chunk) };
}

/**
 * Reads the redrives of a batch that have chunks, the earliest first; `stored` is undefined for one that is not there. Not
 * those of the report alone. Costs three operations per revision.
 */
export async function* redrivesWithChunks(
  deps: DeadLetterDeps,
  batch: Revisions,
): AsyncGenerator<{ revision: number; stored: StoredRedrive | undefined }> {
  for (let revision = 1; revision <= batch.revision; revision += 1) {
    if (batch.reportRedrives?.[revision] !== undefined) continue;
    yield { revision, stored: await appliedRedrive(deps, batch, revision) };
  }
}

function recordRevision(latest: Map<number, number>, revision: number, { redrive }: StoredRedrive): void {
  for (const { runs } of redrive.chunks) {
    for (const [first, count] of runs) for (let i = 0; i < count; i += 1) latest.set(first + i, revision);
  }
}

/**
 * Name of the blob of the redrive that opened a revision: by its first chunk row or, for one of the report alone, by the
 * batch row. Undefined without such a revision.
 */
export async function appliedBlob(table: Table, batch: Revisions, revision: number): Promise<string | undefined> {
  const blob = batch.reportRedrives?.[revision];
  if (blob !== undefined) return blob;
  return (await readChunk(table, batch.id, redriveChunkId(revision, 0)))?.reference.blob;
}

/** The redrive that opened a revision. */
export async function appliedRedrive(
  deps: DeadLetterDeps,
  batch: Revisions,
  revision: number,
): Promise<StoredRedrive | undefined> {
  const blob = await appliedBlob(deps.table, batch, revision);
  return blob === undefined ? undefined : readRedrive(deps.container(CONTAINERS.redrives), blob);
}

/** A dead letter that stands, with the chunk whose outcome holds it. */
export interface DeadLetter {
  chunk: string;
  item: DeadItem;
  /** The item itself as JSON text; undefined when it could not be read. */
  json: string | undefined;
}

/** The current dead letters of one chunk. @throws FrameError when its outcome is damaged. */
async function deadLettersOf(
  deps: Pick<DeadLetterDeps, 'container'>,
  frame: ChunkFrame,
  current: CurrentDead,
): Promise<DeadLetter[]> {
  const { chunk } = frame.row;
  const lines = await readLines(deps.container(CONTAINERS.results), frame);
  return lines
    .map((line) => ({ chunk, item: JSON.parse(line) as DeadItem, json: itemTextIn(line) }))
    .filter(({ item }) => current.isCurrent(chunk, item.index));
}

/** All current dead letters of a batch in chunk order; one chunk's at a time are in memory. */
export async function* currentDeadLetters(deps: DeadLetterDeps, batch: Revisions): AsyncGenerator<DeadLetter> {
  const current = await readCurrentDead(deps, batch);
  for await (const row of doneChunks(deps.table, batch.id)) {
    const frame = frameOfChunk(row, 'dead');
    if (frame) yield* await deadLettersOf(deps, frame, current);
  }
}
