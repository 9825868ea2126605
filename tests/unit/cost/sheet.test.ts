import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  PRICE_CLASSES,
  PriceSheetError,
  priceSheetJsonSchema,
  readPriceSheet,
  toPriceSheet,
  unitPrice,
  unverifiedOf,
} from '../../../shared/cost/sheet.ts';

const copyOf2026 = () => structuredClone(readPriceSheet('2026'));

describe('price sheets', () => {
  it.each(['2013', '2026'])('%s is complete, and each price has a source and a date', (name) => {
    const sheet = readPriceSheet(name);

    expect(sheet.name).toBe(name);
    expect(Object.keys(sheet.prices).sort()).toEqual([...PRICE_CLASSES].sort());
  });

  it.each([
    ['2013', 'queue.class1', 0.000_001],
    ['2013', 'durable.action', null],
    ['2026', 'queue.class1', 0.000_000_4],
    ['2026', 'blob.write', 0.000_005],
    ['2026', 'servicebus.base', 9.81],
    ['2026', 'servicebus.included', 13_000_000],
    ['2026', 'servicebus.operation', 0.000_000_8],
    ['2026', 'durable.action', 0.003],
    // Per hour in the sheet, per month of 730 hours in sums.
    ['2026', 'network.privateEndpoint', 7.3],
  ] as const)('%s: one %s is %s', (name, priceClass, usd) => {
    const price = unitPrice(readPriceSheet(name), priceClass);

    if (usd === null) expect(price).toBeNull();
    else expect(price).toBeCloseTo(usd, 12);
  });

  it('are described by the schema that is published beside them', () => {
    const schema = readFileSync(new URL('../../../shared/cost/sheets/schema.json', import.meta.url), 'utf8');
    expect(JSON.parse(schema)).toEqual(priceSheetJsonSchema());

    const validate = new Ajv2020({ strict: false }).compile(JSON.parse(schema));
    for (const name of ['2013', '2026']) expect(validate(readPriceSheet(name))).toBe(true);
    const { 'log.gb': _gone, ...prices } = readPriceSheet('2026').prices;
    expect(validate({ ...readPriceSheet('2026'), prices })).toBe(false);
  });

  it('list the used prices that have no verified source', () => {
    const sheet = readPriceSheet('2026');
    expect(unverifiedOf(sheet, ['table.operation', 'blob.delete', 'queue.class1', 'queue.class1'])).toEqual([
      'queue.class1',
      'table.operation',
    ]);
  });

  it('may be in any currency', () => {
    expect(toPriceSheet({ ...copyOf2026(), currency: 'EUR' }, 'own').currency).toBe('EUR');
    expect(() => toPriceSheet({ ...copyOf2026(), currency: 'Euro' }, 'own')).toThrow(
      /currency: Expected a currency code/,
    );
  });

  it('reads a custom file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-sheet-'));
    const path = join(folder, 'own.json');
    writeFileSync(path, JSON.stringify({ ...copyOf2026(), name: 'own' }));

    const sheet = readPriceSheet(path);

    expect(sheet.name).toBe('own');
    rmSync(folder, { recursive: true });
  });

  it('reports a value that is neither a name nor a file', () => {
    expect(() => readPriceSheet('1999')).toThrow(
      /1999 is neither a built-in one \(2013, 2026\) nor a readable JSON file/,
    );
  });

  it('reports all problems of a sheet in one error, each with its path', () => {
    const sheet = copyOf2026();
    const { 'queue.class1': _gone, ...others } = sheet.prices;
    const bad = {
      ...sheet,
      prices: { ...others, 'blob.read': { ...sheet.prices['blob.read'], value: -1, unit: 'each', date: 'soon' } },
    };

    let problem: unknown;
    try {
      toPriceSheet(bad, 'bad.json');
    } catch (error: unknown) {
      problem = error;
    }

    expect(problem).toBeInstanceOf(PriceSheetError);
    const message = String(problem);
    for (const part of [
      'bad.json',
      'queue.class1',
      'blob.read > value',
      'blob.read > unit: Expected one of',
      'blob.read > date',
    ])
      expect(message).toContain(part);
  });
});
