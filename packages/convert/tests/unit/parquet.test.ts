import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeParquet } from '../../../../tests/helpers/data/tables.ts';
import { parquetToNdjson } from '../../src/parquet.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-parquet-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function textOf(path: string): Promise<string> {
  let text = '';
  for await (const piece of parquetToNdjson({ path, name: 'table.parquet' })) text += piece.toString();
  return text;
}

async function itemOf(columns: string): Promise<Record<string, unknown>> {
  const path = join(folder, 'table.parquet');
  await writeParquet(path, `SELECT ${columns}`);
  return JSON.parse(await textOf(path));
}

describe('a Parquet file', () => {
  it('keeps numbers, texts and booleans, and omits null', async () => {
    expect(await itemOf(`1 AS a, 'x' AS b, true AS c, NULL::INT AS d, 0.5::DOUBLE AS e, 'nan'::DOUBLE AS f`)).toEqual({
      ...{ a: 1, b: 'x', c: true, e: 0.5 },
    });
    expect(await itemOf('0.1::FLOAT AS f, 200::UTINYINT AS u, 4000000000::UINTEGER AS v')).toEqual({
      ...{ f: 0.1, u: 200, v: 4_000_000_000 },
    });
  });

  it('has integers and decimals without rounding: as numbers if a double is exact, otherwise as texts', async () => {
    const columns = [
      '9007199254740991 AS safe',
      '9007199254740993 AS large',
      '18446744073709551615::UBIGINT AS largest',
      '1.15::DECIMAL(9,2) AS small',
      '-0.07::DECIMAL(4,2) AS negative',
      '123456789012.34::DECIMAL(18,2) AS middle',
      '-12345678901234567890123456.789::DECIMAL(38,3) AS wide',
      '1.10::DECIMAL(38,2) AS narrow',
    ];
    expect(await itemOf(columns.join(', '))).toEqual({
      safe: 9_007_199_254_740_991,
      large: '9007199254740993',
      largest: '18446744073709551615',
      small: 1.15,
      negative: -0.07,
      middle: 123_456_789_012.34,
      wide: '-12345678901234567890123456.789',
      narrow: 1.1,
    });
  });

  it('has dates and times as ISO texts', async () => {
    const columns = [
      `DATE '2026-03-01' AS day`,
      `TIMESTAMP '2026-03-01 10:30:00' AS at`,
      `TIMESTAMP '1969-12-31 23:59:59.000001' AS before`,
      `TIMESTAMP_NS '2026-03-01 10:30:00.123456789' AS exact`,
      `TIME '10:30:00.5' AS time`,
    ];
    expect(await itemOf(columns.join(', '))).toEqual({
      day: '2026-03-01',
      at: '2026-03-01T10:30:00Z',
      before: '1969-12-31T23:59:59.000001Z',
      exact: '2026-03-01T10:30:00.123456789Z',
      time: '10:30:00.500',
    });
  });

  it('keeps nested values with their types', async () => {
    const columns = [
      `{city: 'Bern', fee: 1.15::DECIMAL(38,2), note: NULL::TEXT} AS address`,
      `[1.15::DECIMAL(9,2), NULL] AS fees`,
      `[{n: 9007199254740993}] AS list`,
      `MAP {'a': 1.05::DECIMAL(9,2)} AS rates`,
      `'7b1b5d2e-0000-4000-8000-000000000001'::UUID AS id`,
    ];
    expect(await itemOf(columns.join(', '))).toEqual({
      address: { city: 'Bern', fee: 1.15 },
      fees: [1.15, null],
      list: [{ n: '9007199254740993' }],
      rates: { a: 1.05 },
      id: '7b1b5d2e-0000-4000-8000-000000000001',
    });
  });

  it.each(['uncompressed', 'snappy', 'gzip', 'zstd', 'brotli'])(
    'is read over several row groups in %s',
    async (codec) => {
      const path = join(folder, `${codec}.parquet`);
      const options = `COMPRESSION ${codec}, ROW_GROUP_SIZE 2048`;
      await writeParquet(path, `SELECT i AS n, 'text ' || (i % 7) AS t FROM range(5000) AS r(i)`, options);
      const items = (await textOf(path))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      expect(items).toHaveLength(5000);
      expect(items[4321]).toEqual({ n: 4321, t: 'text 2' });
    },
  );

  it('is refused if it contains binary or infinite values, with their place', async () => {
    await expect(itemOf(`{a: '\\xFF'::BLOB} AS b`)).rejects.toThrow('Row 1, column b.a contains binary data');
    await expect(itemOf(`'inf'::DOUBLE AS d`)).rejects.toThrow('Row 1, column d is infinite');
  });

  it('is refused if it is not a Parquet file', async () => {
    const path = join(folder, 'none.parquet');
    await writeFile(path, 'a,b\n');
    await expect(textOf(path)).rejects.toThrow('table.parquet cannot be read as a Parquet file: ');
  });
});
