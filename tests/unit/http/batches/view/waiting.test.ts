import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BatchRow } from '../../../../../shared/batches/batch-row.ts';
import { type GateRow, newGate } from '../../../../../shared/gate/gate-row.ts';
import { addWave } from '../../../../../shared/gate/wave-record.ts';
import { readWaiting } from '../../../../../shared/http/batches/view/waiting.ts';
import { defineWorkload } from '../../../../../shared/workload/define.ts';
import { createRegistry } from '../../../../../shared/workload/registry.ts';
import { batchRowOf } from '../../../../helpers/data/factories.ts';
import { memoryTable } from '../../../../helpers/fakes/memory-table.ts';

const NOW = Date.parse('2026-01-01T00:10:00.000Z');
const LATER = '2026-01-01T00:10:30.000Z';
const QUEUE = 'billing-normal-0';
const common = { version: 1, item: z.unknown(), map: (item: unknown) => item };
const registry = createRegistry([
  defineWorkload({ ...common, name: 'billing', lanes: ['normal', 'bulk'], queuesPerLane: 2 }),
]);
const waves = addWave([], {
  ...{ atMs: NOW, seconds: 9, depth: 90, tasks: 20, bound: 'saturation', late: false },
  ...{ done: 9, items: 90, throttled: 0, secondsPerReference: 1 },
});

/** Why a batch waits, and the number of queries for this. */
async function waitingOf(row: Partial<BatchRow>, gates: Record<string, Partial<GateRow>> = {}, blockedBy?: string) {
  const { table, before } = memoryTable();
  let queries = 0;
  before(async () => {
    queries += 1;
  });
  const known = new Map(Object.entries(gates).map(([queue, fields]) => [queue, { ...newGate(queue), ...fields }]));
  const blocked = blockedBy === undefined ? undefined : { queue: blockedBy, since: LATER, reason: 'paused: audit' };
  const now = { registry, gates: known, blocked, nowMs: NOW };
  return { waiting: await readWaiting(table, batchRowOf(row), now), queries };
}
const reasonOf = async (...args: Parameters<typeof waitingOf>) => (await waitingOf(...args)).waiting?.reason;
const draining = { status: 'draining', active: 20, depth: 90 } as const;

describe('the reason why no chunk of a batch runs', () => {
  it('contains the state of its queue, and the limit that determined the previous wave', async () => {
    expect(await reasonOf({ state: 'queued' }, { [QUEUE]: { ...draining, active: 1 } })).toBe(
      'the queue drains with 1 task',
    );
    expect(await waitingOf({ state: 'queued' }, { [QUEUE]: { ...draining, waves } })).toEqual({
      queries: 1,
      waiting: {
        ...{ queue: QUEUE, batchesAhead: 0, itemsAhead: 0 },
        reason:
          'the queue drains with 20 tasks; the number of tasks in the previous wave was limited by busy instances',
      },
    });
  });

  it('contains when a parked queue continues, also between two chunks of the batch', async () => {
    const parked = { status: 'idle', parkedUntil: LATER, depth: 1 } as const;
    const { waiting } = await waitingOf({ state: 'running' }, { [QUEUE]: parked });
    expect(waiting).toMatchObject({ nextAt: LATER, reason: expect.stringContaining('invisible') });
  });

  it('contains the pause, and when the circuit probes', async () => {
    const paused = { by: 'circuit', reason: 'busy', since: LATER, probeAt: LATER } as const;
    const { waiting } = await waitingOf(
      { state: 'running', queueOffset: 1 },
      { 'billing-normal-1': { ...draining, paused } },
      'billing-normal-1',
    );
    expect(waiting).toMatchObject({ queue: 'billing-normal-1', nextAt: LATER, reason: 'paused: audit' });
  });

  it('is about the deepest queue that its chunks can be in', async () => {
    const gates = { [QUEUE]: { depth: 1 }, 'billing-normal-1': { depth: 2 }, 'billing-bulk-0': { depth: 3 } };
    const queueOf = async (row: Partial<BatchRow>) =>
      (await waitingOf({ state: 'queued', ...row }, gates)).waiting?.queue;
    expect(await queueOf({ chunksTotal: 2 })).toBe('billing-normal-1');
    expect(await queueOf({ chunksTotal: 1 })).toBe(QUEUE);
    expect(await queueOf({ chunksTotal: 1, queueOffset: 1 })).toBe('billing-normal-1');
  });

  it('reports that the batch is not enqueued yet, or that a wake event is missing', async () => {
    expect(await reasonOf({ state: 'enqueueing' })).toBe('its messages are being put into the queue');
    expect(await reasonOf({ state: 'queued' })).toContain('no drain runs');
  });
});

describe('is absent, without any read, for a batch', () => {
  it.each<[string, Partial<BatchRow>, Record<string, Partial<GateRow>>, string?]>([
    ['that may be running in a wave', { state: 'running' }, { [QUEUE]: draining }],
    ['whose chunks have all ended', { state: 'running', chunksDone: 1 }, {}],
    ['that is being cancelled', { state: 'cancelling' }, {}],
    ['whose results alone are blocked', { state: 'running' }, {}, 'billing-results'],
    ['whose workload is no longer deployed', { state: 'queued', workload: 'gone' }, {}],
  ])('%s', async (_what, row, gates, blockedBy) => {
    expect(await waitingOf(row, gates, blockedBy)).toEqual({ waiting: undefined, queries: 0 });
  });
});
