import { describe, expect, it } from 'vitest';
import { readPriceSheet } from '../../../../../shared/cost/sheet.ts';
import { breakEven } from '../../../../../tools/cost/model/break-even.ts';
import { idlePollsPerDay, modelMonth, type Solution } from '../../../../../tools/cost/model/model.ts';
import { DEFAULT_PARAMETERS, type MonthParameters } from '../../../../../tools/cost/model/month-parameters.ts';

const [then, now] = [readPriceSheet('2013'), readPriceSheet('2026')];
/** One pool, so that the figures are those of each service's documentation. */
const withParameters = (some: Partial<MonthParameters>): MonthParameters => ({
  ...DEFAULT_PARAMETERS,
  pools: 1,
  ...some,
});
const lineOf = ({ lines }: Solution, who: string, does: string) =>
  lines.find((line) => line.who.includes(who) && line.does.includes(does));

describe('idle pollers', () => {
  it.each([
    // Queues, pollers, idle hours, polls per day, USD per month in 2013.
    [1, 1, 22, 79_200, 2.376],
    [1, 200, 22, 15_840_000, 475.2],
    [1, 1, 75_000 / 3_600, 75_000, 2.25],
    [100, 1, 75_000 / 3_600, 7_500_000, 225],
    [1, 1, 21, 75_600, 2.268],
    [1, 1, 0, 0, 0],
  ])('%i queues, %i pollers, %f h: %i polls per day, USD %f per month', (queues, pollers, idleHours, polls, usd) => {
    const parameters = withParameters({ queues, pollers, idleHours, items: 0 });

    expect(idlePollsPerDay(parameters)).toBe(polls);
    expect(modelMonth(parameters, then).pollers.totalUsd).toBeCloseTo(usd, 9);
  });
});

describe('a month of Sluice', () => {
  it('is not free, even without work', () => {
    const { sluice } = modelMonth(withParameters({ items: 0, batches: 0, idleHours: 24, inboxMinutes: 0 }), now);

    expect(sluice.totalUsd).toBe(sluice.idleUsd);
    // 9.81 base, 1,036,800 reads of two durable queues, 3,000 queries, 2,880 executions and 5,760 GB-seconds of timers,
    // and for each execution a blob written, one read and a lease.
    const timers = 0.000_108 + 0.001_152 + 0.149_76 + 2_880 * (0.000_005 + 0.000_000_4 + 0.000_000_4);
    expect(sluice.idleUsd).toBeCloseTo(9.81 + 0.414_72 + timers, 9);
  });

  it.each([
    [1, 1_036_800, 0.414_72],
    [4, 2_592_000, 1.0368],
  ])('with %i control queues the scale controller reads %i times', (partitionCount, count, usd) => {
    const { sluice } = modelMonth(withParameters({ partitionCount }), now);

    const line = lineOf(sluice, 'scale controller', 'durable queues');

    expect(line?.count).toBe(count);
    expect(line?.usd).toBeCloseTo(usd, 9);
  });

  it('is billed per action and polls no storage on the Durable Task Scheduler', () => {
    const { sluice } = modelMonth(withParameters({ backend: 'dts', batches: 10 }), now);

    expect(lineOf(sluice, 'Durable Task Scheduler', 'actions')?.usd).toBeCloseTo(10 * 5 * 30 * 0.003, 9);
    expect(lineOf(sluice, 'scale controller', 'durable queues')).toBeUndefined();
  });

  it('bills events only after the number that the Service Bus base fee includes', () => {
    const dear = structuredClone(now);
    dear.prices['servicebus.included'].value = 1_080_500;
    const { sluice } = modelMonth(withParameters({ items: 100_000, batches: 10 }), dear);

    // 300 batches with 4 events each; the fee includes 500 more.
    expect(lineOf(sluice, 'app', 'events')?.usd).toBeCloseTo((1_200 - 500) * 0.000_000_8, 12);
  });

  it('lists the inbox only if it is collected', () => {
    const inboxOf = (inboxMinutes: number) =>
      lineOf(modelMonth(withParameters({ inboxMinutes }), now).sluice, 'inbox', '');

    expect([inboxOf(0)?.count, inboxOf(5)?.count]).toEqual([undefined, 8_640]);
  });

  it('bills executions by the second and the memory of an instance', () => {
    const gbSecondsOf = (some: Partial<MonthParameters>) =>
      lineOf(modelMonth(withParameters({ batches: 1, items: 1, ...some }), now).sluice, 'app', 'GB-seconds')?.count;

    // A submit, a wake, 3 episodes and finish-wave of one second each, and a dequeue task of 1 s.
    expect(gbSecondsOf({ secondsPerChunk: 0 })).toBeCloseTo(30 * 2 * (6 + 1), 6);
    expect(gbSecondsOf({ secondsPerChunk: 0, memoryMb: 4_096 })).toBeCloseTo(30 * 4 * (6 + 1), 6);
    // Ten seconds of handler time.
    expect(gbSecondsOf({ chunk: 1, secondsPerChunk: 10 })).toBeCloseTo(30 * 2 * (6 + 11), 6);
  });

  it('marks each line whose price has no verified source', () => {
    const { sluice, pollers } = modelMonth(withParameters({}), now);

    expect(lineOf(sluice, 'Service Bus', 'base fee')?.unverified).toEqual(['servicebus.base']);
    // Included in the fee, so the price per operation has no effect.
    expect(lineOf(sluice, 'scale controller', 'message count')?.unverified).toEqual([]);
    expect(pollers.unverified).toEqual(['queue.class1', 'queue.class2']);
    expect(modelMonth(withParameters({}), then).pollers.unverified).toEqual([]);
  });

  it('has no price for classes that the sheet does not price', () => {
    const { sluice } = modelMonth(withParameters({ backend: 'dts' }), then);

    expect(lineOf(sluice, 'Durable Task Scheduler', 'actions')?.usd).toBeNull();
  });

  it('contains the cause of each line', () => {
    const month = modelMonth(withParameters({}), now);

    for (const { lines } of [month.pollers, month.trigger, month.sluice])
      for (const line of lines) expect([line.who.length > 0, line.does.length > 0]).toEqual([true, true]);
  });
});

describe('the notification layer', () => {
  it('costs what Service Bus bills, and saves the polls of empty queues', () => {
    const { notification, sluice, pollers } = modelMonth(withParameters({ queues: 1, pollers: 200, items: 0 }), now);

    // The base fee, which includes 1,080,000 reads of the scale controller.
    expect(notification.costUsd).toBeCloseTo(9.81, 9);
    expect(notification.costUsd).toBeLessThan(sluice.idleUsd);
    expect(notification).toMatchObject({ savedUsd: pollers.idleUsd });
    expect(notification.savedUsd).toBeCloseTo(190.08, 9);
  });

  it('is cheaper from the number of threads whose polls cost more', () => {
    // 0.9504 per thread: ten cost 9.504, eleven 10.4544, and the base fee is 9.81.
    expect(breakEven(withParameters({}), now).notificationThreads).toBe(11);
    // Without a base fee, as in 2013, one polling thread is more expensive: 2.376 against 1.08.
    expect(breakEven(withParameters({ items: 0 }), then).notificationThreads).toBe(1);
    expect(modelMonth(withParameters({ items: 0 }), then).notification.costUsd).toBeCloseTo(1.08, 9);
  });
});

describe('the break-even', () => {
  it('is the first number of threads that costs more than Sluice', () => {
    const { pollingThreads } = breakEven(withParameters({}), now);
    const threads = pollingThreads ?? 0;
    const usd = (n: number) => modelMonth(withParameters({ queues: 1, pollers: n }), now).pollers.totalUsd;
    const { sluice } = modelMonth(withParameters({}), now);

    expect(usd(threads)).toBeGreaterThan(sluice.totalUsd);
    expect(usd(threads - 1)).toBeLessThanOrEqual(sluice.totalUsd);
  });

  it('is the first number of items that costs more than Sluice', () => {
    const items = breakEven(withParameters({}), now).itemsAgainstTrigger ?? 0;
    const gain = (n: number) => {
      const { trigger, sluice } = modelMonth(withParameters({ items: n }), now);
      return trigger.totalUsd - sluice.totalUsd;
    };

    expect(gain(items)).toBeGreaterThan(0);
    expect(gain(items - 1)).toBeLessThanOrEqual(0);
  });

  it('does not exist for threads that are never idle', () => {
    expect(breakEven(withParameters({ idleHours: 0, items: 0 }), now).pollingThreads).toBeNull();
  });
});
