import { basename } from 'node:path';
import type { Delimiter } from '../../shared/contract/upload-kinds.ts';
import { Problem } from '../../shared/errors.ts';
import type { RawChunk } from '../../shared/intake/chunk-records.ts';
import { type ReadUpload, readUpload } from '../../shared/intake/read-upload.ts';
import { readLimits } from '../../shared/kit/cut-into-chunks.ts';
import type { JsonSchema } from '../../shared/workload/item-schema.ts';
import { itemsOf } from '../try/first-items.ts';
import { openFile, type TriedFile } from '../try/tried-file.ts';
import type { TableFlags } from '../upload/csv-flags.ts';
import { hasDecimalCommas } from './guess-text.ts';
import { planOf, type WorkloadPlan } from './plan.ts';
import { schemaOf } from './schema-of.ts';
import { type Reading, Seen } from './seen.ts';

/** Maximum number of records that are read from a sample. */
const MAX_RECORDS = 10_000;
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
  const first = await lookAt(sample);
  const isComma = options.decimal === undefined && first.delimiter !== ',' && hasDecimalCommas(first.seen);
  const chosen: TableFlags = isComma ? { ...options, decimal: ',' } : options;
  if (isComma) sample.csv = { ...sample.csv, decimal: ',' };
  const { seen, reading } = isComma ? await lookAt(sample) : first;
  const schema = schemaOf(seen, reading);
  // Read again with the schema, which converts CSV cells to the values that a handler receives.
  const records: Record<string, unknown>[] = [];
  for await (const record of recordsOf(read(sample, schema.json).chunks, TEST_RECORDS)) records.push(record);
  return { plan: planOf(schema, { file: basename(file), count: seen.count, records }), options: chosen };
}

interface Look {
  seen: Seen;
  reading: Reading;
  delimiter: Delimiter | undefined;
}

async function lookAt(sample: TriedFile): Promise<Look> {
  const reading: Reading = { fromText: sample.format === 'csv', decimal: sample.csv?.decimal ?? '.' };
  const seen = new Seen(reading);
  const upload = read(sample);
  for await (const record of recordsOf(upload.chunks, MAX_RECORDS)) seen.add(record);
  return { seen, reading, delimiter: upload.csv()?.delimiter };
}

const read = ({ open, format, encoding, csv }: TriedFile, schema?: JsonSchema): ReadUpload =>
  readUpload({
    ...{ body: open(), format, encoding, limits: readLimits() },
    ...{ csv, schema, chunk: { maxItems: 1_000, maxBytes: 8 * 1024 * 1024 } },
  });

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
