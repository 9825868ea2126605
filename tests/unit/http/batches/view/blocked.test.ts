import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { GateRow } from '../../../../../shared/gate/gate-row.ts';
import { changeGate } from '../../../../../shared/gate/gate-store.ts';
import { blockedOf, canBeBlocked, readQueueStates } from '../../../../../shared/http/batches/view/blocked.ts';
import { timeText } from '../../../../../shared/http/edge/notes.ts';
import { newQuota, writeQuota } from '../../../../../shared/limits/quota-row.ts';
import { defineWorkload } from '../../../../../shared/workload/define.ts';
import { createRegistry } from '../../../../../shared/workload/registry.ts';
import { memoryTable } from '../../../../helpers/fakes/memory-table.ts';

const NOW = Date.parse('2026-01-01T00:10:00.000Z');
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString();
const SINCE = at(-60);
const common = { version: 1, item: z.unknown(), map: (item: unknown) => item };
const registry = createRegistry([
  defineWorkload({ ...common, name: 'billing', lanes: ['normal', 'bulk'], queuesPerLane: 2 }),
  defineWorkload({ ...common, name: 'mail', rateLimit: { items: 10, perSeconds: 1 } }),
]);

/** What blocks a batch, and the number of queries for this. */
async function blocked(
  batch: { workload?: string; chunksTotal?: number; queueOffset?: number },
  gates: Record<string, Partial<GateRow>> = {},
) {
  const { table, before } = memoryTable();
  for (const [queue, change] of Object.entries(gates)) await changeGate(table, queue, () => change);
  const waiting = [{ queue: 'mail-normal-0', since: NOW - 60_000, until: NOW + 60_000 }];
  await writeQuota(table, { row: { ...newQuota('mail'), waiting }, etag: undefined });
  let queries = 0;
  before(async () => {
    queries += 1;
  });
  const states = await readQueueStates({ gate: { table, now: () => NOW }, registry });
  return { queries, by: blockedOf({ workload: 'billing', lane: 'normal', chunksTotal: 4, ...batch }, states) };
}
const paused = { by: 'operator', reason: 'audit', since: SINCE } as const;

describe('a batch', () => {
  it.each<[string, Record<string, Partial<GateRow>>, unknown]>([
    ['a queue that an operator has paused', { 'billing-normal-1': { paused } }, 'paused by an operator: audit'],
    [
      'a pause that has an end',
      { 'billing-normal-1': { paused: { ...paused, until: at(60) } } },
      `paused by an operator until ${timeText(at(60))}: audit`,
    ],
    [
      'an open circuit',
      { 'billing-normal-1': { paused: { ...paused, by: 'circuit' } } },
      'paused by the circuit: audit',
    ],
    [
      'a drain that cannot be started',
      { 'billing-normal-1': { startFailure: { since: SINCE, error: 'no' } } },
      'its drain cannot be started: no',
    ],
  ])('is blocked by %s', async (_what, gates, reason) => {
    expect(await blocked({}, gates)).toEqual({ by: { queue: 'billing-normal-1', since: SINCE, reason }, queries: 1 });
  });

  it('is blocked by its result queue', async () => {
    expect((await blocked({}, { 'billing-results': { paused } })).by?.queue).toBe('billing-results');
  });

  it('is blocked while no share of the limits of its workload is free', async () => {
    const parked = { 'mail-normal-0': { status: 'idle', parkedUntil: at(30) } } as const;
    const reason = 'no share of the limits of its workload is free';
    expect(await blocked({ workload: 'mail' }, parked)).toEqual({
      by: { queue: 'mail-normal-0', since: SINCE, reason },
      queries: 2,
    });
  });

  it('is blocked if its workload is not deployed', async () => {
    expect((await blocked({ workload: 'gone' })).by).toEqual({
      reason: 'its workload "gone" is not deployed in this app',
    });
  });

  it.each<[string, Parameters<typeof blocked>]>([
    ['a pause that has ended', [{}, { 'billing-normal-0': { paused: { ...paused, until: at(-1) } } }]],
    ['a queue of another lane', [{}, { 'billing-bulk-0': { paused } }]],
    [
      'a queue in which none of its chunks can be',
      [{ chunksTotal: 1, queueOffset: 1 }, { 'billing-normal-0': { paused } }],
    ],
    ['a queue that is parked until a retry', [{}, { 'billing-normal-0': { parkedUntil: at(30) } }]],
  ])('is not blocked by %s', async (_what, args) => {
    expect((await blocked(...args)).by).toBeUndefined();
  });
});

it.each([
  ['running', true],
  ['paused', false],
  ['completed', false],
] as const)('a batch that is %s can be blocked: %s', (state, expected) => {
  expect(canBeBlocked({ state })).toBe(expected);
});
