import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PRICE_CLASSES, PriceSheetError, readPriceSheet, toPriceSheet, unitPrice } from '../../../shared/cost/sheet.ts';

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
  ] as const)('%s: one %s is %s', (name, priceClass, usd) => {
    const price = unitPrice(readPriceSheet(name), priceClass);

    if (usd === null) expect(price).toBeNull();
    else expect(price).toBeCloseTo(usd, 12);
  });

  it('reads an own file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-sheet-'));
    const path = join(folder, 'own.json');
    writeFileSync(path, JSON.stringify({ ...copyOf2026(), name: 'own' }));

    const sheet = readPriceSheet(path);

    expect(sheet.name).toBe('own');
    rmSync(folder, { recursive: true });
  });

  it('says what is neither a name nor a file', () => {
    expect(() => readPriceSheet('1999')).toThrow(
      /1999 is neither a built-in one \(2013, 2026\) nor a readable JSON file/,
    );
  });

  it('tells all problems of a sheet at once, each with its place', () => {
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
