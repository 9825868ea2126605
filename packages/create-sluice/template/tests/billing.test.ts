import { runWorkload } from 'sluice/testing';
import { expect, it } from 'vitest';
import billing from '../workloads/billing.ts';

const line = (id: string, account: string, quantity: number) => ({ id, account, quantity, unitCents: 250 });

it('totals the charges of each account, and rejects negative quantities', async () => {
  const items = [
    line('1', 'acme', 3),
    line('2', 'globex', 2),
    line('3', 'acme', -1),
    { id: '4' },
    line('5', 'acme', 1),
  ];
  const { report, deadLetters } = await runWorkload(billing, items);
  expect(report).toEqual({ acme: { lines: 2, cents: 1000 }, globex: { lines: 1, cents: 500 } });
  expect(deadLetters.map(({ index, reason }) => [index, reason])).toEqual([
    [2, 'rejected'],
    [3, 'invalid'],
  ]);
});
