import { describe, expect, it } from 'vitest';
import { drainAllocation } from '../../../shared/cost/drain-allocation.ts';
import { addBatch, idleLines, minutesOf, NOTHING_SPENT, periodCost } from '../../../shared/cost/period.ts';
import { readPriceSheet } from '../../../shared/cost/sheet.ts';

const sheet = readPriceSheet('2026');
const timers = { sweepMinutes: 15, inboxMinutes: 0 };
const batch = { items: 10, chunksDone: 2, handlerSeconds: 0.2, operations: { 'blob.put': 3 } };

describe('drainAllocation', () => {
  it('is nothing before the first chunk has ended', () => {
    expect(drainAllocation({ chunksDone: 0, handlerSeconds: 0 })).toEqual({ drainOperations: {}, actions: 0 });
  });

  it('of one chunk is two wakes, two tasks, a round, two settlings and a deletion', () => {
    const { drainOperations, actions } = drainAllocation({ chunksDone: 1, handlerSeconds: 0.1 });
    expect(actions).toBe(10);
    expect(drainOperations).toEqual({
      'servicebus.receive': 2,
      'servicebus.send': 3,
      'table.get': 7,
      'table.update': 6,
      'queue.properties': 4,
      'queue.get': 10,
      'queue.put': 1,
      'table.query': 1,
      'table.transaction': 1,
      'queue.delete': 2,
    });
  });
});

describe('a period', () => {
  it('adds batches up', () => {
    const sum = [batch, batch].reduce(addBatch, NOTHING_SPENT);
    expect(sum).toMatchObject({ batches: 2, items: 20, operations: { 'blob.put': 6 } });
    expect(sum.actions).toBe(2 * drainAllocation(batch).actions);
  });

  it('costs work, wake-ups and the part of the month that has passed', () => {
    const cost = periodCost(addBatch(NOTHING_SPENT, batch), { days: 1, timers }, sheet);
    const idle = periodCost(NOTHING_SPENT, { days: 1, timers }, sheet);
    expect(idle.work.usd + idle.wakeUps.usd).toBe(0);
    expect(cost.idle).toEqual(idle.idle);
    expect(cost.totalUsd).toBeCloseTo(cost.work.usd + cost.wakeUps.usd + cost.idle.usd, 12);
    expect(periodCost(NOTHING_SPENT, { days: 30, timers }, sheet).totalUsd).toBeCloseTo(idle.totalUsd * 30, 9);
  });

  it('has no line of work in what idling costs', () => {
    const who = idleLines(30, timers, sheet).map((line) => line.who);
    expect(who).toContain('Service Bus');
    expect(who).not.toContain('app');
  });
});

describe('minutesOf', () => {
  it.each([
    ['0 */15 * * * *', 15],
    ['0 */5 * * * *', 5],
    ['0 0 * * * *', undefined],
    ['*/15 * * * *', undefined],
  ])('reads %s as %s', (schedule, minutes) => {
    expect(minutesOf(schedule)).toBe(minutes);
  });
});
