import { expect, test } from 'vitest';
import { z } from 'zod';
import { onEvents } from '../../../shared/events/on-events.ts';
import { type GateDeps, wake } from '../../../shared/gate/gate.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const registry = createRegistry(
  ['billing', 'media'].map((name) =>
    defineWorkload({
      name,
      version: 1,
      item: z.unknown(),
      map: (item) => item,
      pool: name === 'media' ? 'heavy' : 'default',
    }),
  ),
);

const event = (fields: Record<string, unknown> = {}) => ({
  v: 1,
  type: 'QueueWorkDetected',
  account: 'acc',
  pool: 'default',
  queue: 'billing-normal-0',
  workload: 'billing',
  lane: 'normal',
  at: '2026-01-01T00:00:00.000Z',
  ...fields,
});

/** Handles bodies. Returns the instances that were started. */
async function started(bodies: unknown[], pool?: string): Promise<string[]> {
  const ids: string[] = [];
  await startedFor(bodies, (id) => ids.push(id), pool);
  return ids;
}

async function startedFor(
  bodies: unknown[],
  onStart: (instanceId: string, put: number | undefined) => void,
  pool?: string,
): Promise<void> {
  const gate: GateDeps = {
    table: memoryTable().table,
    now: () => Date.UTC(2026, 0, 1),
    start: async ({ instanceId }, put) => onStart(instanceId, put),
    status: async () => 'Running',
  };
  await onEvents({ registry, pool, account: () => 'acc', coalesce: (_queue, run) => run() }, bodies, (queue, put) =>
    wake(gate, queue, put),
  );
}

test('each queue of a delivery is woken once', async () => {
  const bodies = [event(), event(), event({ queue: 'billing-results' })];

  expect((await started(bodies)).sort()).toEqual(['drain-billing-normal-0-1', 'drain-billing-results-1']);
});

test.each([
  ['one chunk', [event({ items: 100, payloadBytes: 12_000 })], 1],
  ['one chunk each', [event({ items: 1, payloadBytes: 9 }), event({ items: 5_000, payloadBytes: 12_000 })], 2],
  ['more items than a chunk', [event({ items: 5_001, payloadBytes: 12_000 })], undefined],
  ['more bytes than a chunk', [event({ items: 2, payloadBytes: 2 ** 20 + 1 })], undefined],
  ['nothing, like a scheduled wake', [event({ items: 0, payloadBytes: 0 })], undefined],
  ['an unknown amount', [event({ items: 1 }), event()], undefined],
  ['results', [event({ queue: 'billing-results', items: 1, payloadBytes: 9 })], undefined],
] as const)('the number of references is passed to the drain only if it is known: %s', async (_what, bodies, put) => {
  const puts: (number | undefined)[] = [];
  await startedFor([...bodies], (_id, known) => puts.push(known));

  expect(puts).toEqual([put]);
});

test.each([
  ['of another type', event({ type: 'QueueEmpty' })],
  ['about a file', event({ type: 'InboxRejected', details: { name: 'f', type: 't', status: 400, detail: 'd' } })],
  ['of a later type', event({ type: 'BatchArchived' })],
  ['of another storage account', event({ account: 'other' })],
  ['of a queue that no workload has', event({ queue: 'nobody-normal-0' })],
  ['of another pool', event({ queue: 'media-normal-0' })],
  ['of a newer contract', event({ v: 2 })],
  ['that cannot be read', { hello: 'world' }],
  ['that is not JSON', '{'],
])('an event %s wakes no queue, and does not affect the others', async (_what, body) => {
  expect(await started([body, event()], 'default')).toEqual(['drain-billing-normal-0-1']);
});

test.each([
  ['of a later type', [], event({ type: 'BatchArchived' })],
  ['that is not an event', ['event-not-read'], { hello: 'world' }],
])('a body %s is skipped, and the log contains %j', async (_what, lines, body) => {
  const heard: string[] = [];
  const hear = (line: string): void => void heard.push((JSON.parse(line) as { event: string }).event);

  await withLog({ debug: () => {}, info: hear, warn: hear, error: hear }, () => started([body]));

  expect(heard).toEqual(lines);
});
