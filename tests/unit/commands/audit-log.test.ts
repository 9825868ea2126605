import { expect, it } from 'vitest';
import { expireActions, readActions, recordAction } from '../../../shared/commands/audit-log.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const DAY_MS = 86_400_000;
const DAY = '2026-05-05';

async function logOf(actions: readonly [at: string, target: string][]) {
  const { table } = memoryTable();
  for (const [index, [at, target]] of actions.entries()) {
    const action = { at, action: 'pause-queue', target, by: 'Ada', verified: true, detail: 'reason: x', status: 200 };
    await recordAction(table, action, `i${index}`);
  }
  const read = async (filter: { from?: string; to?: string; target?: string; limit?: number } = {}) =>
    (await readActions(table, { from: DAY, to: DAY, limit: 10, ...filter })).actions.map(
      ({ at, target }) => `${at} ${target}`,
    );
  return { table, read };
}

const FIRST = `${DAY}T00:00:00.000Z`;
const LAST = `${DAY}T23:59:59.999Z`;

it('reads an action as it was recorded', async () => {
  const { table } = await logOf([[FIRST, 'q']]);

  expect(await readActions(table, { from: DAY, to: DAY, limit: 1 })).toEqual({
    actions: [
      { at: FIRST, action: 'pause-queue', target: 'q', by: 'Ada', verified: true, detail: 'reason: x', status: 200 },
    ],
    next: undefined,
  });
});

it('records an action once even if the first response was lost', async () => {
  const { table, read } = await logOf([[FIRST, 'q']]);
  const action = { at: FIRST, action: 'pause-queue', target: 'q', by: '', verified: false, detail: '', status: 200 };

  await recordAction(table, action, 'i0');

  expect(await read()).toEqual([`${FIRST} q`]);
});

it('reads the requested days completely, newest first, including actions of the same millisecond', async () => {
  const before = new Date(Date.parse(FIRST) - 1).toISOString();
  const after = new Date(Date.parse(LAST) + 1).toISOString();
  const { read } = await logOf([
    [before, 'before'],
    [FIRST, 'first'],
    [LAST, 'last'],
    [LAST, 'last too'],
    [after, 'after'],
  ]);

  expect(await read()).toEqual([`${LAST} last`, `${LAST} last too`, `${FIRST} first`]);
  expect(await read({ limit: 1 })).toEqual([`${LAST} last`]);
  expect(await read({ to: '2026-05-06', target: 'after' })).toEqual([`${after} after`]);
});

it('continues after the last action that it has returned, also among those of the same millisecond', async () => {
  const { table } = await logOf([
    [FIRST, 'e'],
    [LAST, 'a'],
    [LAST, 'b'],
    [LAST, 'c'],
    [FIRST, 'd'],
  ]);
  const pages: string[] = [];
  let after: string | undefined;
  do {
    const { actions, next } = await readActions(table, { from: DAY, to: DAY, limit: 2, after });
    pages.push(actions.map(({ target }) => target).join(''));
    after = next;
  } while (after !== undefined);
  expect(pages).toEqual(['ab', 'ce', 'd']);
});

it('deletes actions older than ninety days up to its limit, and keeps the others', async () => {
  const nowMs = Date.parse(LAST);
  const at = (days: number): string => new Date(nowMs - days * DAY_MS).toISOString();
  const old = Array.from({ length: 150 }, (_, n): [string, string] => [at(91 + n), 'old']);
  const { table, read } = await logOf([...old, [at(89), 'kept'], [at(0), 'now']]);

  expect(await expireActions(table, { nowMs, most: 120 })).toEqual({ n: 120, left: true });
  expect(await expireActions(table, { nowMs, most: 120 })).toEqual({ n: 30, left: false });
  expect(await read({ from: '2020-01-01', limit: 1_000 })).toEqual([`${at(0)} now`, `${at(89)} kept`]);
});
