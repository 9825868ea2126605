import type { HttpRequest } from '@azure/functions';
import type { BatchRow } from '../../batches/batch-row.ts';
import { readChunk } from '../../batches/ledger.ts';
import { originalsIn } from '../../commands/redrive/read-originals.ts';
import { chunkId } from '../../contract/names.ts';
import { type ChunkEntry, lineOfItem } from '../../contract/payload-index.ts';
import { Problem, statusOf } from '../../errors.ts';
import { type ChunkIndex, openChunkIndex } from '../../intake/store/chunk-index.ts';
import type { Stored } from '../edge/app.ts';
import { MEDIA_TYPES } from '../edge/formats.ts';
import { batchOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import type { Step } from './schemas.ts';
import { type ItemEnd, linesOf, type Walk, walkItems } from './walk-items.ts';
import { readRedrives, startOfUpload, startsOfRedrive } from './walk-starts.ts';

/** GET batches/{id}/items/{position}: an item, the chunks in which it ran, and its result or dead letter. */
export const getItem: Handle<Stored> = async (deps, request) => {
  const { row: batch } = await batchOf(request, deps.table);
  const position = positionOf(request, batch);
  const index = await readIndex(deps, batch);
  const found = await readable(batch, index.find(position));
  if (found === undefined) throw noItem(batch, String(position));
  const { number, entry } = found;
  const [items, { steps, result, deadLetter }] = await Promise.all([
    originalsIn(deps, batch, { entry, indices: [position] }),
    followItem(deps, batch, { position, number, entry }),
  ]);
  const line = lineOfItem(entry, position);
  const head = JSON.stringify({ batch: batch.id, position, line, state: steps.at(-1)?.end ?? 'pending', steps });
  const texts = { item: items.get(position), result, deadLetter };
  const fields = Object.entries(texts).map(([name, text]) => (text === undefined ? '' : `,"${name}":${text}`));
  return { headers: { 'content-type': MEDIA_TYPES.json }, body: `${head.slice(0, -1)}${fields.join('')}}` };
};

/**
 * Follows an item from its chunk of the upload through splits, retries and redrives. `entry` is that chunk in the payload's
 * index, `number` its place there. The result and the dead letter are JSON text, because parsing would lose digits of numbers.
 * Requires one read of a row and up to two of frames per step, and one more for a succeeded
 * item.
 * @throws FrameError if an outcome does not match the ledger.
 */
async function followItem(
  deps: Stored,
  batch: BatchRow,
  { position, number, entry }: { position: number; number: number; entry: ChunkEntry },
) {
  const steps: Step[] = [];
  let last: ItemEnd = {};
  const wanted = { from: position, end: position + 1 };
  const redrives = await readRedrives(deps, batch);
  const redriven = await Promise.all(redrives.map((redrive) => startsOfRedrive(redrive, wanted)));
  const starts = [startOfUpload(chunkId(number), entry), ...redriven.flat()];
  const walk: Walk = {
    rowOf: (chunk) => readChunk(deps.table, batch.id, chunk),
    linesOf: (row, name) => linesOf(deps, row, name),
    wanted,
    visit: (_index, step, end) => {
      steps.push(step);
      last = end;
    },
  };
  for (const start of starts) await walkItems(walk, start);
  const { result, deadLetter } = last as ItemEnd;
  return { steps, deadLetter, result: result && (await linesOf(deps, result.row, 'results'))[result.line] };
}

function positionOf(request: HttpRequest, batch: BatchRow): number {
  const text = request.params.position ?? '';
  if (!/^\d{1,15}$/.test(text) || Number(text) >= batch.accepted) throw noItem(batch, text);
  return Number(text);
}

const noItem = ({ id, accepted }: BatchRow, position: string): Problem =>
  new Problem('not-found', `Batch ${id} has no item ${position.slice(0, 20)}: its items are 0 to ${accepted - 1}.`);

/**
 * Opens the index of a batch's payload.
 * @throws Problem 'not-found' if the payload is deleted.
 */
export const readIndex = (deps: Stored, batch: BatchRow): Promise<ChunkIndex> =>
  readable(batch, openChunkIndex(deps, batch));

/**
 * Waits for what is read of a payload.
 * @throws Problem 'not-found' if the payload is deleted.
 */
export async function readable<T>(batch: BatchRow, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
    throw payloadGone(batch, error);
  }
}

/** Creates the problem for a batch whose payload was deleted. */
export const payloadGone = ({ id }: BatchRow, cause?: unknown): Problem =>
  new Problem('not-found', `The payload of batch ${id} was deleted.`, { cause });
