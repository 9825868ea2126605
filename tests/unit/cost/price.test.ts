import { describe, expect, it } from 'vitest';
import { priceClassOf, priceOperations } from '../../../shared/cost/price.ts';
import { receipt } from '../../../shared/cost/receipt.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';

const [then, now] = [readPriceSheet('2013'), readPriceSheet('2026')];

describe('the price class of an operation', () => {
  it.each([
    ['blob.put', 'blob.write'],
    ['blob.stage', 'blob.write'],
    ['blob.commit', 'blob.write'],
    ['blob.copy', 'blob.write'],
    ['blob.get', 'blob.read'],
    ['blob.list', 'blob.list'],
    ['blob.create', 'blob.list'],
    ['blob.delete', 'blob.delete'],
    ['blob.head', 'blob.other'],
    ['blob.metadata', 'blob.other'],
    ['blob.other', 'blob.other'],
    ['queue.put', 'queue.class1'],
    ['queue.delete', 'queue.class1'],
    ['queue.get', 'queue.class2'],
    ['queue.peek', 'queue.class2'],
    ['queue.properties', 'queue.class2'],
    ['table.transaction', 'table.operation'],
    ['servicebus.schedule', 'servicebus.operation'],
    ['durable.activity', undefined],
  ])('%s is %s', (operation, priceClass) => {
    expect(priceClassOf(operation)).toBe(priceClass);
  });
});

describe('pricing operations', () => {
  // The paper prints 2.38, and 457.20 instead of 475.20; the library rounds 21 hours to 75,000 polls.
  const PAPER = '"Best practices for maximizing scalability and cost effectiveness of queue-based messaging" (2013)';
  const LIBRARY = 'the queue library of AtContent (2012)';
  it.each([
    [PAPER, 'a thread', 79_200, 1, then, 2.376],
    [PAPER, '200 threads', 79_200, 200, then, 475.2],
    [LIBRARY, 'a queue', 75_000, 1, then, 2.25],
    [LIBRARY, '100 queues', 75_000, 100, then, 225],
    [PAPER, 'a thread, at the price of today', 79_200, 1, now, 0.9504],
    [PAPER, '200 threads, at the price of today', 79_200, 200, now, 190.08],
    [LIBRARY, 'a queue, at the price of today', 75_000, 1, now, 0.9],
    [LIBRARY, '100 queues, at the price of today', 75_000, 100, now, 90],
  ])('results in the figure of %s for %s: %i polls per day, times %i', (_source, _who, polls, times, sheet, usd) => {
    expect(priceOperations({ 'queue.get': polls * times * 30 }, sheet).totalUsd).toBeCloseTo(usd, 9);
  });

  it.each([
    // Enqueuing is one transaction, consuming two.
    [then, { 'queue.put': 10_000, 'queue.get': 10_000, 'queue.delete': 10_000 }, 0.03],
    [now, { 'blob.put': 10_000, 'blob.get': 10_000, 'blob.delete': 10_000 }, 0.054],
    [now, {}, 0],
  ])('results in the manually calculated amount, case %#', (sheet, operations, usd) => {
    expect(priceOperations(operations, sheet).totalUsd).toBeCloseTo(usd, 9);
  });

  it('sums by service, and lists operations without a price and unverified classes', () => {
    const priced = priceOperations(
      { 'blob.put': 10_000, 'blob.delete': 5, 'queue.put': 10_000, 'durable.start': 3 },
      now,
    );

    expect(priced.byService).toEqual({ blob: 0.05, queue: 0.004 });
    expect(priced.totalUsd).toBeCloseTo(0.054, 9);
    expect(priced.unpriced).toEqual(['durable.start']);
    expect(priced.unverified).toEqual(['blob.write', 'queue.class1']);
  });
});

describe('a receipt', () => {
  const spent = {
    operations: { 'queue.put': 10, 'blob.put': 10, 'servicebus.send': 2 },
    drainOperations: { 'durable.action': 10 },
    items: 30_000,
    backend: 'azureStorage',
  } as const;

  it('contains the operations of the durable extension on storage, separately from the counted ones', () => {
    const bill = receipt(spent, now);

    expect(bill.operations).toEqual(spent.operations);
    expect(bill.hostOperations).toEqual({
      'queue.put': 10,
      'queue.get': 10,
      'queue.delete': 10,
      'table.query': 10,
      'table.transaction': 10,
    });
    expect(bill.storageOperations).toBe(70);
    expect(bill.totalUsd).toBeCloseTo(40 * 0.000_000_4 + 10 * 0.000_005 + 20 * 0.000_000_036 + 2 * 0.000_000_8, 12);
  });

  it('charges actions on the Durable Task Scheduler', () => {
    const bill = receipt({ ...spent, backend: 'dts' }, now);

    expect(bill.hostOperations).toEqual({});
    expect(bill.byService.durable).toBeCloseTo(0.03, 9);
    expect(bill.unverified).toContain('durable.action');
  });

  it('bills its own executions and those of its drains, and shows them separately from operations', () => {
    const drainOperations = { 'functions.execution': 3.5, 'functions.gbSecond': 7 };
    const operations = { 'functions.execution': 1, 'functions.gbSecond': 2 };
    const bill = receipt({ operations, drainOperations, items: 1, backend: 'azureStorage' }, now);

    expect(bill).toMatchObject({ operations: {}, drainOperations: {}, executions: { count: 4.5, gbSeconds: 9 } });
    expect(bill.byService.functions).toBeCloseTo(4.5 * 0.000_000_4 + 9 * 0.000_026, 12);
    expect(bill.storageOperations).toBe(0);
  });

  it('reports that the sheet has no price for actions', () => {
    expect(receipt({ ...spent, backend: 'dts' }, then).unpriced).toEqual(['durable.action']);
  });

  it('compares with one message per item, and with a thread that polls for a day', () => {
    const { comparison } = receipt({ ...spent, drainOperations: {} }, now);

    expect(comparison.messagePerItem.operations).toBe(60_938);
    expect(comparison.messagePerItem.usd).toBeCloseTo(0.024_375_2, 9);
    expect(comparison.messagePerItem.timesOurs).toBe(60_938 / 20);
    expect(comparison.pollingThreadPerDay.operations).toBe(86_400);
    expect(comparison.pollingThreadPerDay.usd).toBeCloseTo(0.034_56, 9);
  });

  it('has no ratio to zero', () => {
    expect(
      receipt({ operations: {}, items: 1, backend: 'azureStorage' }, now).comparison.messagePerItem.timesOurs,
    ).toBeNull();
  });
});
