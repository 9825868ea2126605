import { expect } from 'vitest';
import { type CsvSource, parseCsv } from '../../../../../shared/intake/parse/csv/parse-csv.ts';
import type { CsvReading } from '../../../../../shared/intake/parse/csv-options.ts';
import { byteByByte, cut, recordsOf } from '../../uploads.ts';

export const limits = { maxRecordBytes: 200_000 };
/** JSON Schemas of properties. */
export const number = { type: 'number' };
export const text = { type: 'string' };

/** Reads the items and the dialect of a CSV text, and checks that they do not depend on the split. */
export async function read(
  csv: string,
  options: CsvSource = {},
): Promise<{ items: unknown[]; reading: CsvReading | undefined }> {
  const readings: CsvReading[] = [];
  const source = { ...options, onReading: (reading: CsvReading) => readings.push(reading) };
  const records = await recordsOf(parseCsv(cut(csv), limits, source));
  expect(await recordsOf(parseCsv(byteByByte(csv), limits, source))).toEqual(records);
  expect(readings[1]).toEqual(readings[0]);
  return { items: records.map((record) => JSON.parse(record.slice(record.indexOf(':') + 1))), reading: readings[0] };
}

/** Returns the JSON Schema of an object. */
export const object = (properties: Record<string, unknown>, required: string[] = []): CsvSource['schema'] => ({
  ...{ type: 'object', properties, required },
});
