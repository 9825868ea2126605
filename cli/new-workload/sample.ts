import { basename } from 'node:path';
import { Problem } from '../../shared/errors.ts';
import type { RawChunk } from '../../shared/intake/chunk-records.ts';
import { type ReadUpload, readUpload } from '../../shared/intake/read-upload.ts';
import { readLimits } from '../../shared/kit/cut-into-chunks.ts';
import type { JsonSchema } from '../../shared/workload/item-schema.ts';
import type { Reading } from '../../shared/workload/types/guess.ts';
import { guessItem } from '../../shared/workload/types/guess-item.ts';
import { hasDecimalCommas } from '../../shared/workload/types/guess-text.ts';
import { itemsOf } from '../try/first-items.ts';
import { openFile, type TriedFile } from '../try/tried-file.ts';
import type { TableFlags } from '../upload/csv-flags.ts';
import { planOf, type WorkloadPlan } from './plan.ts';

/** Maximum number of records that are read from a sample. */
const MAX_RECORDS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Number of records in the generated test. */
const TEST_RECORDS = 2;

/** The plan that follows from a sample, and the options for reading files like it. */
export interface SamplePlan {
  plan: WorkloadPlan;
  options: TableFlags;
}

/**
 * Reads the first 10,000 records of a sample and derives a workload from them. Decimal commas are recognized only in CSV with
 * another delimiter, where "1,234" cannot mean thousands. Throws Problem if the sample cannot be read, and UsageError if its
 * name does not contain the format.
 */
export async function planFromSample(
  world: Parameters<typeof openFile>[0],
  file: string,
  options: TableFlags,
): Promise<SamplePlan> {
  const sample = await openFile(world, file, options);
  const upload = read(sample);
  const records = await firstOf(upload.chunks, MAX_RECORDS);
  const reading: Reading = { fromText: sample.format === 'csv', decimal: sample.csv?.decimal ?? '.' };
  const first = guessItem(records, reading);
  const isComma =
    options.decimal === undefined && reading.fromText && upload.csv()?.delimiter !== ',' && hasDecimalCommas(first);
  if (isComma) sample.csv = { ...sample.csv, decimal: ',' };
  const item = isComma ? guessItem(records, { ...reading, decimal: ',' }) : first;
  // Read again with the schema, which converts CSV cells to the values that a handler receives.
  const typed = await firstOf(read(sample, item.json).chunks, TEST_RECORDS);
  const plan = planOf(item, { file: basename(file), count: records.length, records: typed });
  return { plan, options: isComma ? { ...options, decimal: ',' } : options };
}

const read = ({ open, format, encoding, csv }: TriedFile, schema?: JsonSchema): ReadUpload =>
  readUpload({
    ...{ body: open(), format, encoding, limits: readLimits() },
    ...{ csv, schema, chunk: { maxItems: 1_000, maxBytes: 8 * 1024 * 1024 } },
  });

/** Returns the first records, of at most 32 MiB. */
async function firstOf(chunks: AsyncIterable<RawChunk>, limit: number): Promise<Record<string, unknown>[]> {
  const records: Record<string, unknown>[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    for (const record of itemsOf([chunk])) {
      if (typeof record !== 'object' || record === null || Array.isArray(record))
        throw new Problem('malformed-record', `Expected objects, got ${JSON.stringify(record).slice(0, 80)}`);
      records.push(record as Record<string, unknown>);
      if (records.length === limit) return records;
    }
    bytes += chunk.bytes.length;
    if (bytes >= MAX_BYTES) break;
  }
  return records;
}
