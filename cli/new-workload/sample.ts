import { basename } from 'node:path';
import { Problem } from '../../shared/errors.ts';
import type { RawChunk } from '../../shared/intake/chunk-records.ts';
import { readUpload } from '../../shared/intake/read-upload.ts';
import { readLimits } from '../../shared/kit/cut-into-chunks.ts';
import type { JsonSchema } from '../../shared/workload/item-schema.ts';
import { itemsOf } from '../try/first-items.ts';
import { openFile } from '../try/tried-file.ts';
import type { TableFlags } from '../upload/csv-flags.ts';
import { planOf, type WorkloadPlan } from './plan.ts';
import { schemaOf } from './schema-of.ts';
import { Seen } from './seen.ts';

/** Records of a sample that are read. */
const MAX_RECORDS = 10_000;
/** Records of the test that is written. */
const TEST_RECORDS = 2;

/**
 * Reads the first 10,000 records of a sample and fits a workload to them. Throws Problem for a sample that cannot be read,
 * UsageError for a name that does not tell its format.
 */
export async function planFromSample(
  world: Parameters<typeof openFile>[0],
  file: string,
  options: TableFlags,
): Promise<WorkloadPlan> {
  const { format, encoding, csv, open } = await openFile(world, file, options);
  const read = (schema?: JsonSchema): AsyncIterable<RawChunk> =>
    readUpload({
      ...{ body: open(), format, encoding, limits: readLimits() },
      ...{ csv, schema, chunk: { maxItems: 1_000, maxBytes: 8 * 1024 * 1024 } },
    }).chunks;
  const reading = { fromText: format === 'csv', decimal: csv?.decimal ?? '.' } as const;
  const seen = new Seen(reading);
  for await (const record of recordsOf(read(), MAX_RECORDS)) seen.add(record);
  const schema = schemaOf(seen, reading);
  // Again, by the schema: the cells of CSV as a handler gets them.
  const records: Record<string, unknown>[] = [];
  for await (const record of recordsOf(read(schema.json), TEST_RECORDS)) records.push(record);
  return planOf(schema, { file: basename(file), count: seen.count, records });
}

async function* recordsOf(chunks: AsyncIterable<RawChunk>, limit: number): AsyncGenerator<Record<string, unknown>> {
  let count = 0;
  for await (const chunk of chunks) {
    for (const record of itemsOf([chunk])) {
      if (typeof record !== 'object' || record === null || Array.isArray(record))
        throw new Problem('malformed-record', `Expected objects, got ${JSON.stringify(record).slice(0, 80)}`);
      yield record as Record<string, unknown>;
      count++;
      if (count === limit) return;
    }
  }
}
