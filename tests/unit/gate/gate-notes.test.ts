import { describe, expect, test } from 'vitest';
import { fence, wake } from '../../../shared/gate/gate.ts';
import { recordDue, recordStartFailure } from '../../../shared/gate/gate-notes.ts';
import { SILENCE_MS } from '../../../shared/gate/gate-row.ts';
import { showFirstWave } from '../../../shared/gate/heartbeat.ts';
import { fixture, NOW, QUEUE } from './gate-fixtures.ts';

describe('due times', () => {
  test('are stored in order of time', async () => {
    const { deps, gate } = fixture();

    for (const second of ['05', '03', '05', '07'])
      await recordDue(deps.table, QUEUE, [`2026-01-01T00:00:${second}.000Z`]);

    expect((await gate()).due.map((at) => at.slice(17, 19))).toEqual(['03', '05', '07']);
  });

  test.each([
    [
      'in the future is kept by the drain that is woken for it',
      '2026-01-01T00:00:05.000Z',
      ['2026-01-01T00:00:05.000Z'],
    ],
    ['of a message that may still be invisible is kept', '2025-12-31T23:59:59.000Z', ['2025-12-31T23:59:59.000Z']],
    ['that has passed is dropped', '2025-12-31T23:59:58.000Z', []],
  ])('a due time %s', async (_what, dueAt, expected) => {
    const { deps, gate } = fixture();
    await recordDue(deps.table, QUEUE, [dueAt]);

    await wake(deps, QUEUE);

    expect((await gate()).due).toEqual(expected);
  });
});

describe('a drain that cannot be started', () => {
  const NO = new Error('no');
  const failureOf = (queue: string, generation: number) => ({ queue, generation });

  test('is recorded with the time of the first failure, also after a take-over', async () => {
    const { deps, clock, gate } = fixture();
    await wake(deps, QUEUE);
    const first = await recordStartFailure(deps, failureOf(QUEUE, 1), NO);
    clock.now = NOW + SILENCE_MS + 1;
    await wake(deps, QUEUE);

    const second = await recordStartFailure(deps, failureOf(QUEUE, 2), new Error('x'.repeat(1_000)));

    expect([first, second]).toEqual([NOW, NOW]);
    expect((await gate()).generation).toBe(2);
    expect((await gate()).startFailure).toEqual({ since: '2026-01-01T00:00:00.000Z', error: 'x'.repeat(500) });
  });

  test.each([
    ['of another generation', 0, {}],
    ['that has started', 1, { aliveUntil: '2026-01-01T00:01:00.000Z' }],
    ['that has ended', 1, { status: 'idle' }],
  ] as const)('is not recorded for one %s', async (_which, generation, fields) => {
    const { deps, set, gate } = fixture();
    await wake(deps, QUEUE);
    await set(fields);

    expect(await recordStartFailure(deps, failureOf(QUEUE, generation), NO)).toBeUndefined();
    expect((await gate()).startFailure).toBeUndefined();
  });

  test('is cleared when its first wave runs', async () => {
    const { deps, gate } = fixture();
    await wake(deps, QUEUE);
    await recordStartFailure(deps, failureOf(QUEUE, 1), NO);
    const held = await fence(deps.table, QUEUE, 1);

    expect(held && (await showFirstWave(deps.table, held, { active: 1, depth: 5, until: NOW }))).toBe(true);
    const { startFailure, depth, depthAt, acquiredAt } = await gate();
    expect([startFailure, depth, depthAt]).toEqual([undefined, 5, acquiredAt]);
  });
});
