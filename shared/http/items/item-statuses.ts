import type { BatchRow } from '../../batches/batch-row.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { chunkRows } from '../../batches/ledger.ts';
import type { Redrive } from '../../commands/redrive/redrive-blob.ts';
import { chunkId } from '../../contract/names.ts';
import type { ChunkEntry } from '../../contract/payload-index.ts';
import { inParallel } from '../../parallel.ts';
import type { Stored } from '../edge/app.ts';
import type { ItemList, ItemState, Step } from './schemas.ts';
import { type ItemEnd, linesOf, type Positions, type Walk, type WalkStart, walkItems } from './walk-items.ts';
import { startOfUpload, startsOfRedrive } from './walk-starts.ts';

const CHUNKS_AT_ONCE = 8;

export type ItemStatus = Omit<ItemList['items'][number], 'id' | 'result'> & Pick<ItemEnd, 'result'>;

/** Consecutive chunks in the index of a payload. `number` is the place of the first. */
export interface ChunkGroup {
  number: number;
  entries: readonly ChunkEntry[];
}

/**
 * Reads the states of all items of a group in order; `bytes` are the decoded bytes of the frames that were read. Requires one query for the rows of the group, one for each redrive with
 * items of the group, and one read per frame of retries and dead letters.
 * @throws FrameError if an outcome does not match the ledger.
 */
export async function readStatuses(
  deps: Stored,
  batch: BatchRow,
  { group, redrives }: { group: ChunkGroup; redrives: readonly Redrive[] },
): Promise<{ statuses: ItemStatus[]; bytes: number }> {
  const wanted = positionsOf(group);
  const statuses: ItemStatus[] = [];
  let bytes = 0;
  const visit: Walk['visit'] = (position, { end, attempts, error, reason }, { result }) => {
    statuses[position - wanted.from] = { position, state: stateAfter(end), attempts, error, reason, result };
  };
  const upload = group.entries.map((entry, n) => startOfUpload(chunkId(group.number + n), entry));
  const redriven = await Promise.all(redrives.map((redrive) => startsOfRedrive(redrive, wanted)));
  // Sequential, because a later revision overwrites an earlier one.
  for (const starts of [upload, ...redriven]) {
    const rows = await readRows(deps, batch.id, starts);
    const walk: Walk = {
      rowOf: async (chunk) => rows.get(chunk),
      linesOf: (row, name) => {
        bytes += row.header?.[name]?.bytes ?? 0;
        return linesOf(deps, row, name);
      },
      ...{ wanted, visit },
    };
    await inParallel(starts, CHUNKS_AT_ONCE, (start) => walkItems(walk, start));
  }
  return { statuses, bytes };
}

function positionsOf({ entries }: ChunkGroup): Positions {
  const [first, last] = [entries[0], entries.at(-1)];
  return { from: first?.firstItem ?? 0, end: (last?.firstItem ?? 0) + (last?.items ?? 0) };
}

type Rows = Map<string, ChunkRow>;

async function readRows({ table }: Stored, batch: string, starts: readonly WalkStart[]): Promise<Rows> {
  const [first, last] = [starts[0]?.chunk, starts.at(-1)?.chunk];
  const rows: Rows = new Map();
  if (first === undefined || last === undefined) return rows;
  for await (const row of chunkRows(table, batch, { first, last })) rows.set(row.chunk, row);
  return rows;
}

/** Returns the state of an item by the end of a step. After a split or a retry, another follows unless rows are damaged. */
const stateAfter = (end: Step['end']): ItemState => (end === 'split' || end === 'retried' ? 'unknown' : end);
