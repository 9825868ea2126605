/** Determines the current dead letters of a batch: those of items that no later redrive has taken. */

import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../../batches/batch-row.ts';
import { chunkRows, readChunk } from '../../batches/ledger.ts';
import { CONTAINERS, redriveChunkId, revisionOf } from '../../contract/names.ts';
import { type DeadItem, itemTextIn } from '../../contract/outcome.ts';
import { Problem } from '../../errors.ts';
import { groupsOfSource } from '../../groups-of.ts';
import { readAhead } from '../../parallel.ts';
import { type ChunkFrame, frameOfChunk, readLines } from '../../results/chunk-pages.ts';
import type { Table } from '../../storage/table.ts';
import { Turns } from '../../turns.ts';
import { ItemSet, runsFrom } from './item-set.ts';
import { chunksOf, type Redrive, readRedrive, type StoredRedrive } from './redrive-blob.ts';

export interface DeadLetterDeps {
  table: Table;
  container: (name: string) => ContainerClient;
}

export type Revisions = Pick<BatchRow, 'id' | 'revision' | 'reportRedrives'>;

/** Returns whether a dead letter of `chunk` is still the current one of its item. */
export interface CurrentDead {
  isCurrent(chunk: string, index: number): boolean;
}

/**
 * Reads what distinguishes the current dead letters of a batch from those that were redriven since: the indices of each
 * redrive (three operations per revision), and nothing for a batch without redrives. A redrive of the report alone has
 * no indices.
 */
export async function readCurrentDead(deps: DeadLetterDeps, batch: Revisions): Promise<CurrentDead> {
  const taken: { revision: number; items: ItemSet }[] = [];
  for await (const { revision, stored } of redrivesWithChunks(deps, batch)) {
    if (!stored) throw new Error(`The redrive of batch ${batch.id}, revision ${revision}, is missing.`);
    taken.push({ revision, items: await itemsOf(stored.redrive) });
  }
  return {
    isCurrent: (chunk, index) => {
      const known = revisionOf(chunk);
      return !taken.some(({ revision, items }) => revision > known && items.has(index));
    },
  };
}

async function itemsOf(redrive: Redrive): Promise<ItemSet> {
  const items = new ItemSet();
  const turns = new Turns();
  for (const { firstItem, steps } of chunksOf(redrive)) {
    for (const [first, end] of runsFrom(firstItem, steps)) {
      items.add(first, end);
      const turn = turns.next();
      if (turn) await turn;
    }
  }
  return items;
}

/**
 * Reads the redrives of a batch that have chunks, the earliest first; `stored` is undefined if the blob is missing.
 * Skips redrives of the report alone. Costs three operations per revision.
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

/**
 * Finds the name of the blob of the redrive that opened a revision: in its first chunk row or, for a redrive of the
 * report alone, in the batch row. Undefined if there is no such revision.
 */
export async function appliedBlob(table: Table, batch: Revisions, revision: number): Promise<string | undefined> {
  const blob = batch.reportRedrives?.[revision];
  if (blob !== undefined) return blob;
  return (await readChunk(table, batch.id, redriveChunkId(revision, 0)))?.reference.blob;
}

/** Reads the redrive that opened a revision. */
export async function appliedRedrive(
  deps: DeadLetterDeps,
  batch: Revisions,
  revision: number,
): Promise<StoredRedrive | undefined> {
  const blob = await appliedBlob(deps.table, batch, revision);
  return blob === undefined ? undefined : readRedrive(deps.container(CONTAINERS.redrives), blob);
}

export interface DeadLetter {
  chunk: string;
  item: DeadItem;
  /** The item itself as JSON text; undefined if it could not be read. */
  json: string | undefined;
}

/**
 * Reads the current dead letters of one chunk.
 * @throws FrameError if its outcome is damaged.
 */
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

/** Number of chunks whose dead letters are in memory at a time. */
const AHEAD = 8;
const FRAMES_PER_GROUP = 64;

/**
 * Reads all current dead letters of a batch in chunk order.
 * @throws Problem 'too-large' when `isOver` returns true (default: never); it is called for each chunk.
 */
export async function* currentDeadLetters(
  deps: DeadLetterDeps,
  batch: Revisions,
  isOver = (): boolean => false,
): AsyncGenerator<DeadLetter> {
  const current = await readCurrentDead(deps, batch);
  const read = (frame: ChunkFrame): Promise<DeadLetter[]> => {
    if (isOver())
      throw new Problem(
        'too-large',
        `Batch ${batch.id} has too many dead letters to read within the time of a request. GET dead-letters returns them in pages; send their items as a new batch.`,
      );
    return deadLettersOf(deps, frame, current);
  };
  for await (const frames of groupsOfSource(deadFrames(deps, batch), FRAMES_PER_GROUP))
    for await (const letters of readAhead(frames, AHEAD, read)) yield* letters;
}

async function* deadFrames({ table }: DeadLetterDeps, { id }: Revisions): AsyncGenerator<ChunkFrame> {
  for await (const row of chunkRows(table, id, { state: 'done' })) {
    const frame = frameOfChunk(row, 'dead');
    if (frame) yield frame;
  }
}
