/** Writes the items of a page as JSON text, with their ids and results. */

import type { BatchRow } from '../../batches/batch-row.ts';
import type { ChunkRow } from '../../batches/chunk-row.ts';
import { readChunkItems } from '../../commands/redrive/read-originals.ts';
import { type ChunkEntry, chunkOfItem } from '../../contract/payload-index.ts';
import { readAhead } from '../../parallel.ts';
import type { Workload } from '../../workload/define.ts';
import { InvalidItem, validateItemSafely } from '../../workload/validate-item.ts';
import type { Stored } from '../edge/app.ts';
import { AHEAD } from '../edge/body.ts';
import type { ItemStatus } from './item-statuses.ts';
import { linesOf } from './walk-items.ts';

/** Maximum bytes of records and results per page. */
const PAGE_BYTES = 64 * 1024 * 1024;

interface ChunkItems {
  entry: ChunkEntry;
  items: ItemStatus[];
}

interface TextRequest {
  entries: readonly ChunkEntry[];
  items: readonly ItemStatus[];
  hasResults: boolean;
  /** undefined: the workload has no item ids. */
  idOf: ReadId | undefined;
}

/** Writes items as JSON text, until their records and results exceed the size of a page; at least those of one chunk. */
export async function itemTexts(
  deps: Stored,
  batch: BatchRow,
  { entries, items, hasResults, idOf }: TextRequest,
): Promise<{ texts: string[]; next: number | undefined }> {
  let bytes = 0;
  const results = new Map<string, Promise<string[]>>();
  const resultsOf = (row: ChunkRow): Promise<string[]> => {
    const known = results.get(row.chunk);
    if (known) return known;
    const reading = linesOf(deps, row, 'results');
    bytes += row.header?.results?.bytes ?? 0;
    results.set(row.chunk, reading);
    return reading;
  };
  const recordsOf = async (entry: ChunkEntry): Promise<string[] | undefined> => {
    if (!idOf) return undefined;
    bytes += entry.bytes;
    return readChunkItems(deps, batch, entry);
  };
  const read = async ({ entry, items }: ChunkItems): Promise<string[]> => {
    const records = await recordsOf(entry);
    const texts: string[] = [];
    for (const { result, position, ...status } of items) {
      const record = records?.[position - entry.firstItem];
      const id = record === undefined ? undefined : await idOf?.(record);
      const head = JSON.stringify({ position, id, ...status });
      const line = hasResults && result ? (await resultsOf(result.row))[result.line] : undefined;
      texts.push(line === undefined ? head : `${head.slice(0, -1)},"result":${line}}`);
    }
    return texts;
  };
  const texts: string[] = [];
  for await (const some of readAhead(byChunk(entries, items), AHEAD, read)) {
    texts.push(...some);
    if (bytes > PAGE_BYTES) break;
  }
  return { texts, next: items[texts.length]?.position };
}

/** Groups the items by chunk. Both lists are in ascending order of positions. */
function byChunk(entries: readonly ChunkEntry[], items: readonly ItemStatus[]): ChunkItems[] {
  const chunks: ChunkItems[] = [];
  for (const item of items) {
    const last = chunks.at(-1);
    if (last && item.position < last.entry.firstItem + last.entry.items) last.items.push(item);
    else {
      const entry = entries[chunkOfItem(entries, item.position) ?? -1];
      if (entry) chunks.push({ entry, items: [item] });
    }
  }
  return chunks;
}

/** Reads the id of a record, given as JSON text; undefined if it has none. */
type ReadId = (text: string) => Promise<string | undefined>;

/**
 * Creates the reader of ids. It uses the schema's output for a record, or the record itself if that is invalid. Undefined for
 * a workload without the option `id`.
 */
export function idReader(workload: Workload | undefined): ReadId | undefined {
  if (workload?.id === undefined) return undefined;
  const { id, item } = workload as Workload & Required<Pick<Workload, 'id'>>;
  return async (text) => {
    try {
      const record: unknown = JSON.parse(text);
      const valid = await validateItemSafely(item, record).catch((error: unknown) => {
        if (error instanceof InvalidItem) return record;
        throw error;
      });
      return String(id(valid));
    } catch {
      // The function belongs to the workload and may throw for an invalid record.
      return undefined;
    }
  };
}
