/** Dead letters in the format of the API. They are passed on as text: parsing an item would lose digits of its numbers. */

import type { BatchRow } from '../../batches/batch-row.ts';
import { readCurrentDead } from '../../commands/redrive/current-dead.ts';
import { readItemLines } from '../../commands/redrive/item-lines.ts';
import { causeOf } from '../../contract/cause.ts';
import { CONTAINERS } from '../../contract/names.ts';
import type { DeadItem, DeadReason } from '../../contract/outcome.ts';
import { type ChunkFrame, readLines } from '../../results/chunk-pages.ts';
import { Turns } from '../../turns.ts';
import type { Stored } from '../edge/app.ts';

/**
 * A current dead letter. `position` is its line in the chunk's frame, and `text` the complete letter as JSON of
 * deadLetterSchema.
 */
export interface DeadLetterText {
  chunk: string;
  position: number;
  cause: string;
  reason: DeadReason;
  text: string;
}

/** Creates the reader of a batch's current dead letters, chunk by chunk. The redriven items, and the lines of items in the upload, are read once. */
export async function deadReader(deps: Stored, batch: BatchRow) {
  const [current, lineOf] = await Promise.all([readCurrentDead(deps, batch), readItemLines(deps, batch)]);
  const results = deps.container(CONTAINERS.results);
  return async (frame: ChunkFrame): Promise<DeadLetterText[]> => {
    const { chunk } = frame.row;
    const lines = await readLines(results, frame);
    const letters: DeadLetterText[] = [];
    const turns = new Turns();
    for (const [position, line] of lines.entries()) {
      await turns.next();
      const { index, reason, error } = JSON.parse(line) as DeadItem;
      if (!current.isCurrent(chunk, index)) continue;
      const cause = causeOf(reason, error);
      const fields = JSON.stringify({ line: (await lineOf(index)) ?? null, chunk, cause });
      letters.push({ chunk, position, cause, reason, text: `${fields.slice(0, -1)},${line.slice(1)}` });
    }
    return letters;
  };
}
