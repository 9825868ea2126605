import { expect, test } from 'vitest';
import { countAhead } from '../../../../shared/batches/listing/batches-ahead.ts';

const at = (second: number): number => Date.parse('2026-01-01T00:00:00.000Z') + second * 1_000;
const open = (id: string, second: number, fields: { lane?: string; items?: number; revision?: number } = {}) => ({
  ...{
    id,
    workload: 'billing',
    revision: 0,
    openedAt: at(second),
    lane: 'normal',
    items: 10,
    chunks: 1,
    deadlineAt: '2026-01-02T00:00:00.000Z',
  },
  ...fields,
});
const waiting = { id: 'me', workload: 'billing', lane: 'normal', openedAt: new Date(at(60)).toISOString() };

test('earlier batches of the same lane are ahead, with their items at the opening', () => {
  const others = [open('a', 0), open('b', 59, { items: 90 }), open('me', 58), open('c', 61), open('d', 60)];

  expect(countAhead(others, waiting)).toEqual({ batches: 2, items: 100 });
});

test('batches of another lane, and redrives of the report alone, are not ahead', () => {
  expect(countAhead([open('a', 0, { lane: 'bulk' }), open('b', 0, { items: 0 })], waiting)).toEqual({
    batches: 0,
    items: 0,
  });
});

test('batches that were accepted before a redrive are ahead of it, although its upload is older', () => {
  const redriven = { ...waiting, id: '0', openedAt: new Date(at(600)).toISOString() };

  expect(countAhead([open('a', 300), open('b', 700)], redriven)).toEqual({ batches: 1, items: 10 });
});
