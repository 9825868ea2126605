import { describe, expect, it } from 'vitest';
import { PRICE_CLASSES, readPriceSheet, toPriceSheet, unitPrice } from '../../../../../shared/cost/sheet.ts';
import { type ImportOptions, importPrices, regionsOf } from '../../../../../tools/cost/retail/import-prices.ts';
import { METERS } from '../../../../../tools/cost/retail/meters.ts';
import { RetailPricesError, toRetailAnswer } from '../../../../../tools/cost/retail/retail-answer.ts';
import saved from './saved-answer.json' with { type: 'json' };

const options: ImportOptions = {
  name: 'mine',
  region: 'northeurope',
  date: '2026-11-23',
  base: readPriceSheet('2026'),
};
const answer = toRetailAnswer(saved, 'saved-answer.json');
const { sheet, found, notFound, ambiguous, nextPages } = importPrices([answer], options);

describe('a sheet of saved responses', () => {
  it('is valid, in the currency of the responses', () => {
    expect(toPriceSheet(JSON.parse(JSON.stringify(sheet)), 'imported').currency).toBe('EUR');
  });

  it.each([
    ['queue.class1', 0.005 / 10_000],
    ['queue.class2', 0.006 / 10_000],
    ['table.operation', 0.0005 / 10_000],
    ['blob.write', 0.07 / 10_000],
    // The first tier with a price.
    ['storage.gbMonth', 0.02],
    ['servicebus.operation', 0.9 / 1_000_000],
    ['servicebus.included', 12_000_000],
    // A month has 730 hours.
    ['servicebus.base', 0.02 * 730],
    ['network.privateEndpoint', 0.011 * 730],
    // Sold in units of ten.
    ['functions.execution', 0.000_005 / 10],
    ['functions.includedExecutions', 300_000],
    ['functions.gbSecond', 0.000_03],
    ['functions.includedGbSeconds', 90_000],
    ['alert.metric', 0.12],
    ['alert.includedMetrics', 8],
  ] as const)('has %s at %f', (priceClass, price) => {
    expect(unitPrice(sheet, priceClass)).toBeCloseTo(price, 12);
    expect(found).toContain(priceClass);
  });

  it('contains the source of each price, marked as verified', () => {
    expect(sheet.prices['blob.write']).toEqual({
      value: 0.07,
      unit: 'per 10,000 operations',
      source: 'Azure Retail Prices API (northeurope), Storage, General Block Blob v2, meter "Hot LRS Write Operations"',
      date: '2026-11-23',
      verified: true,
      note: 'In effect since 2026-01-01.',
    });
    expect(sheet.prices['network.privateEndpoint'].source).toContain('(Global)');
  });

  it('omits meters with two prices or an unknown unit', () => {
    expect(ambiguous).toEqual([
      { priceClass: 'blob.read', reason: 'Hot Read Operations 0.001 per 10K, Hot Read Operations 0.002 per 10K' },
      { priceClass: 'blob.other', reason: 'unit of measure "a dozen" is unknown' },
    ]);
    expect(found).not.toContain('blob.read');
  });

  it('keeps no price in another currency, except zero', () => {
    expect(notFound).toEqual(expect.arrayContaining(['blob.read', 'durable.action', 'log.includedGb', 'blob.delete']));
    expect(sheet.prices['durable.action']).toMatchObject({ value: null, verified: false });
    expect([unitPrice(sheet, 'log.includedGb'), unitPrice(sheet, 'blob.delete')]).toEqual([5, 0]);
  });

  it('keeps prices of the base sheet, verified or not, if the currency is the same', () => {
    const inUsd = importPrices([{ ...answer, BillingCurrency: 'USD' }], options).sheet;

    expect(inUsd.prices['durable.action']).toEqual(options.base.prices['durable.action']);
  });

  it('lists the missing pages', () => {
    expect(nextPages).toEqual(['https://prices.azure.com:443/api/retail/prices?$skip=1000']);
  });

  it('combines pages and services from several files', () => {
    const [first, second] = [answer.Items.slice(0, 5), answer.Items.slice(5)].map((Items) => ({ ...answer, Items }));

    expect(
      importPrices(
        [first, second].filter((page) => page !== undefined),
        options,
      ).sheet,
    ).toEqual(sheet);
  });
});

it('lists the regions of a response, without those that apply everywhere', () => {
  expect(regionsOf([answer])).toEqual(['northeurope', 'westus']);
});

it('refuses content that is not a response of the API, and responses in two currencies', () => {
  expect(() => toRetailAnswer({ items: [] }, 'some.json')).toThrow(
    /some.json is not a saved response.*BillingCurrency/s,
  );
  expect(() => importPrices([answer, { ...answer, BillingCurrency: 'USD' }], options)).toThrow(RetailPricesError);
});

it('has a meter for each class that can have one', () => {
  const mapped = METERS.flatMap(({ priceClass, includedClass }) => [priceClass, includedClass]);

  expect(PRICE_CLASSES.filter((priceClass) => !mapped.includes(priceClass))).toEqual(['blob.delete']);
  expect(new Set(mapped.filter(Boolean)).size).toBe(mapped.filter(Boolean).length);
});
