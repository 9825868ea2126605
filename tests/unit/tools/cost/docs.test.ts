import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { storageOperations } from '../../../../shared/contract/operations.ts';
import { messagePerItem } from '../../../../shared/cost/receipt.ts';
import { readPriceSheet } from '../../../../shared/cost/sheet.ts';
import { runCost } from '../../../../tools/cost/command/cost-command.ts';
import type { Backends } from '../../../../tools/cost/model/backends.ts';
import { type BatchPrice, batchPrice } from '../../../../tools/cost/model/batch-price.ts';
import type { IdleBill } from '../../../../tools/cost/model/bill.ts';
import type { BreakEven } from '../../../../tools/cost/model/break-even.ts';
import type { Grouping } from '../../../../tools/cost/model/grouping.ts';
import { DEFAULT_PARAMETERS, shapeOf } from '../../../../tools/cost/model/month-parameters.ts';
import { tableBelow } from '../../docs/docs-table.ts';

const FILE = 'docs/cost.md';
/** A page as one line. */
const pageOf = (file: string): string =>
  readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
const text = pageOf(FILE);
interface Answer {
  idle: IdleBill;
  grouping: Grouping;
  backends: Backends;
  breakEven: BreakEven;
}
const cost = (...args: string[]): Answer => JSON.parse(runCost(['--json', ...args], '2026')) as Answer;
const number = (cell = ''): number => Number(cell.replaceAll(/[*,]/g, ''));

describe('the idle bill', () => {
  const { idle } = cost();
  const rows = tableBelow(FILE, 'The idle bill');

  it('contains the lines that the command prints, with their amounts', () => {
    const lines = rows.slice(0, idle.lines.length);

    expect(lines.map((row) => number(row[2]))).toEqual(idle.lines.map(({ count }) => count ?? 0));
    for (const [index, { usd }] of idle.lines.entries())
      expect(Math.abs(number(lines[index]?.[3]) - (usd ?? 0))).toBeLessThan(0.0005);
  });

  it('contains their sum before and after free grants, and what a pool and an option add', () => {
    const [before, after] = rows.slice(idle.lines.length);
    const one = cost('--pools', '1').idle;

    expect([before?.[3], after?.[3]]).toEqual([
      `**${idle.totalUsd.toFixed(2)}**`,
      `**${(idle.totalUsd - idle.grantsUsd).toFixed(2)}**`,
    ]);
    expect(text).toContain(`USD ${idle.perPoolUsd.toFixed(2)} each`);
    expect(text).toContain(`one pool costs ${one.totalUsd.toFixed(2)} (${(one.totalUsd - one.grantsUsd).toFixed(2)})`);
  });

  it('contains what an option adds', () => {
    const choices = rows.filter(([, , command]) => command?.startsWith('npm run cost -- '));
    const added = choices.map(([, , command = '']) => {
      const args = command.replace('npm run cost -- ', '').split(' ');
      return (cost(...args).idle.totalUsd - idle.totalUsd).toFixed(2);
    });

    expect(choices.length).toBe(5);
    expect(choices.map(([, usd]) => usd)).toEqual(added);
  });
});

it('README contains the idle bill before and after free grants', () => {
  const { idle } = cost();

  expect(pageOf('README.md')).toContain(
    `costs USD ${idle.totalUsd.toFixed(2)} per month without any work, ${(idle.totalUsd - idle.grantsUsd).toFixed(2)} after`,
  );
});

it('every document contains the batch size from which a thousand times fewer operations are needed', () => {
  const sheet = readPriceSheet('2026');
  /** The smallest number of full chunks, in items. */
  const from = (operations: (price: BatchPrice) => number): string => {
    const { chunk } = DEFAULT_PARAMETERS;
    const saves = (items: number): boolean =>
      storageOperations(messagePerItem(items)) /
        operations(batchPrice(shapeOf(items, DEFAULT_PARAMETERS), DEFAULT_PARAMETERS, sheet)) >=
      1_000;
    const chunks = Array.from({ length: 100 }, (_, index) => (index + 1) * chunk);
    return String(chunks.find(saves)?.toLocaleString('en'));
  };
  const own = from((price) => price.storageOperations);
  const all = from((price) => price.storageOperations + price.hostOperations);

  for (const file of ['README.md', FILE, 'docs/when-not-to-use.md']) {
    const sentence = /begins at about ([\d,]+) items per batch[^.]*?\b(\d+,000) with/.exec(pageOf(file));
    expect([file, ...(sentence?.slice(1) ?? [])]).toEqual([file, own, all]);
  }
});

it('contains the table of batch sizes that the command prints', () => {
  const sizes = cost().grouping.sizes.map(({ items, storageOperations, hostOperations, executions, gbSeconds }) => [
    ...[items, storageOperations + hostOperations, executions],
    Number(gbSeconds.toFixed(1)),
  ]);

  expect(tableBelow(FILE, 'What grouping saves').map((row) => row.slice(0, 4).map(number))).toEqual(sizes);
});

it('contains the cost of such batches', () => {
  const digits = (value: number | null) => Number((value ?? Number.NaN).toPrecision(2));
  const { sizes } = cost().grouping;

  expect(tableBelow(FILE, 'What grouping saves').map((row) => number(row[4]))).toEqual(
    sizes.map(({ usd }) => digits(usd)),
  );
});

it('contains the idle bill, a batch and a month for each durable backend', () => {
  const [small, large] = ['100', '1000000'].map((items) => cost('--batches', '1', '--items', items).backends);
  const byDefault = cost().backends;
  const rows = [
    ...(['azureStorage', 'dts'] as const).map((name) => [
      byDefault[name].idleUsd.toFixed(2),
      small?.[name].batch.usd?.toPrecision(name === 'dts' ? 3 : 2),
      large?.[name].batch.usd?.toPrecision(name === 'dts' ? 3 : 2),
      small?.[name].monthUsd.toFixed(2),
      byDefault[name].monthUsd.toFixed(2),
    ]),
  ];

  const table = tableBelow(FILE, 'Which durable backend');
  expect([1, 2].map((column) => table.map((row) => row[column]))).toEqual(rows);
});

it('contains the break-even points that the command prints', () => {
  const { breakEven, backends } = cost();
  const n = (value: number | null) => value?.toLocaleString('en-US');

  expect(text).toContain(
    `from ${n(breakEven.pollingThreads)} threads or ${n(breakEven.itemsAgainstPollers)} items per day`,
  );
  expect(text).toContain(`from ${n(breakEven.itemsAgainstTrigger)} items per day on against Functions queue triggers`);
  const advice = readFileSync(new URL('../../../../docs/when-not-to-use.md', import.meta.url), 'utf8');
  expect(advice).toContain(`a queue trigger is cheaper below ${n(breakEven.itemsAgainstTrigger)} items per day`);
  expect(text).toContain(`It pays from ${n(breakEven.notificationThreads)} polling threads on`);
  expect(text).toContain(`cheaper one from ${n(backends.storageFromBatches)} batches per month on`);
  const from = (items: string) => cost('--batches', '1', '--items', items).backends.storageFromBatches;
  expect(from('100')).toBe(backends.storageFromBatches);
  expect(text).toContain(`or from ${from('1000000')} batches of a million items`);
});
