import { describe, expect, it } from 'vitest';
import { DEFAULT_DEPLOYMENT } from '../../../shared/cost/deployed.ts';
import { addBatch, idleLines, minutesOf, NOTHING_SPENT, periodCost, priceSpent } from '../../../shared/cost/period.ts';
import { receipt } from '../../../shared/cost/receipt.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';
import { sumIdleBill } from '../../../tools/cost/model/bill.ts';

const sheet = readPriceSheet('2026');
const deployment = { sweepMinutes: 15, inboxMinutes: 0 };
const basis = { prices: sheet, backend: 'azureStorage' } as const;
const batch = {
  items: 10,
  operations: { 'blob.put': 3, 'functions.execution': 1, 'functions.gbSecond': 2 },
  drainOperations: { 'queue.get': 0.5, 'durable.action': 2.5 },
};

describe('a period', () => {
  it('adds batches up', () => {
    const sum = [batch, batch].reduce(addBatch, NOTHING_SPENT);
    expect(sum).toMatchObject({ batches: 2, items: 20, operations: { 'blob.put': 6, 'functions.gbSecond': 4 } });
    expect(sum.drainOperations).toEqual({ 'queue.get': 1, 'durable.action': 5 });
  });

  it('costs work, wake-ups and the elapsed part of the month', () => {
    const { cost } = periodCost(addBatch(NOTHING_SPENT, batch), { days: 1, deployment }, basis);
    const { cost: idle } = periodCost(NOTHING_SPENT, { days: 1, deployment }, basis);
    expect(idle.work.usd + idle.wakeUps.usd).toBe(0);
    expect(cost.idle).toEqual(idle.idle);
    expect(cost.totalUsd).toBeCloseTo(cost.work.usd + cost.wakeUps.usd + cost.idle.usd, 12);
    expect(periodCost(NOTHING_SPENT, { days: 30, deployment }, basis).cost.totalUsd).toBeCloseTo(idle.totalUsd * 30, 9);
  });

  it('equals the sum of the receipts', () => {
    const one = receipt({ ...batch, backend: 'azureStorage' }, sheet);
    const { work, wakeUps, storageOperations } = priceSpent([batch, batch].reduce(addBatch, NOTHING_SPENT), basis);
    expect(work.usd + wakeUps.usd).toBeCloseTo(2 * one.totalUsd, 15);
    expect(storageOperations).toBeCloseTo(2 * one.storageOperations, 12);
    expect(wakeUps).toMatchObject({ actions: 5, executions: { count: 2, gbSeconds: 4 } });
  });

  it('has no line for work in the idle costs', () => {
    const who = idleLines(30, deployment, basis).map((line) => line.who);
    expect(who).toContain('Service Bus');
    expect(who).not.toContain('app');
  });
});

describe('minutesOf', () => {
  it.each([
    ['0 */15 * * * *', 15],
    ['10 7-59/15 * * * *', 15],
    ['0 */5 * * * *', 5],
    ['0 0 * * * *', undefined],
    ['*/15 * * * *', undefined],
  ])('reads %s as %s', (schedule, minutes) => {
    expect(minutesOf(schedule)).toBe(minutes);
  });
});

describe('the idle bill of the app', () => {
  it('equals that of the command, in its lines and in the sum of a month', () => {
    const { lines, totalUsd } = sumIdleBill({ ...DEFAULT_DEPLOYMENT, pools: 3 }, sheet);
    const { cost: shown, unverified } = periodCost(NOTHING_SPENT, { days: 30, deployment: { pools: 3 } }, basis);

    expect(shown.idle.lines.map(({ does }) => does)).toEqual(lines.map(({ does }) => does));
    expect(shown.idle.usd).toBeCloseTo(totalUsd, 9);
    expect(unverified).toContain('servicebus.base');
  });

  it('contains a part of the events of the month, and all rules and packages', () => {
    const counts = idleLines(3, {}, { prices: sheet, backend: 'azureStorage' }).map(({ who, count }) => [who, count]);

    expect(counts).toContainEqual(['sweep timers', 600]);
    expect(counts).toContainEqual(['Azure Monitor', 4]);
    expect(counts).toContainEqual(['Blob Storage', 0.02]);
  });
});
