/** The history of one item: the chunks in which it ran, and its result or dead letter. */

import type { BatchRow } from '../../batches/batch-row.ts';
import { readChunk } from '../../batches/ledger.ts';
import { chunkId } from '../../contract/names.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import type { Stored } from '../edge/app.ts';
import { type ItemEnd, linesOf, type Step, type Walk, walkItems } from './walk-items.ts';
import { readRedrives, startOfUpload, startsOfRedrive } from './walk-starts.ts';

/** All steps in order. The result and the dead letter are JSON text, because parsing would lose digits of numbers. */
export interface Trail {
  steps: Step[];
  result?: string | undefined;
  deadLetter?: string | undefined;
}

/**
 * Follows an item from its chunk of the upload through splits, retries and redrives. `entry` is that chunk in the payload's
 * index, `number` its place there. Requires one read of a row and up to two of frames per step, and one more for a succeeded
 * item.
 * @throws FrameError if an outcome does not match the ledger.
 */
export async function followItem(
  deps: Stored,
  batch: BatchRow,
  { position, number, entry }: { position: number; number: number; entry: ChunkEntry },
): Promise<Trail> {
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
