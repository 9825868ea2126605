import { expect, test } from 'vitest';
import { z } from 'zod';
import { withLog } from '../../../shared/telemetry/log.ts';
import type { GateDeps } from '../../../shared/wake/gate.ts';
import { onEvents } from '../../../shared/wake/on-events.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { memoryTable } from '../../helpers/memory-table.ts';
import { uncounted } from '../../helpers/spending.ts';

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

/** Handles bodies, and gives the instances that were started. */
async function started(bodies: unknown[], pool?: string): Promise<string[]> {
  const ids: string[] = [];
  const gate: GateDeps = {
    table: memoryTable().table,
    now: () => Date.UTC(2026, 0, 1),
    start: async ({ instanceId }) => void ids.push(instanceId),
    status: async () => 'Running',
  };
  await onEvents(
    { registry, pool, ...uncounted(), account: () => 'acc', coalesce: (_queue, run) => run() },
    bodies,
    () => gate,
  );
  return ids;
}

test('each queue of a delivery is woken once', async () => {
  const bodies = [event(), event(), event({ queue: 'billing-results' })];

  expect((await started(bodies)).sort()).toEqual(['drain-billing-normal-0-1', 'drain-billing-results-1']);
});

test.each([
  ['of another type', event({ type: 'QueueEmpty' })],
  ['about a file', event({ type: 'InboxRejected', details: { name: 'f', type: 't', status: 400, detail: 'd' } })],
  ['of a type that came later', event({ type: 'BatchArchived' })],
  ['of another storage account', event({ account: 'other' })],
  ['of a queue that no workload has', event({ queue: 'nobody-normal-0' })],
  ['of another pool', event({ queue: 'media-normal-0' })],
  ['of a newer contract', event({ v: 2 })],
  ['that cannot be read', { hello: 'world' }],
  ['that is no JSON', '{'],
])('an event %s wakes nobody, and does not hold up the others', async (_what, body) => {
  expect(await started([body, event()], 'default')).toEqual(['drain-billing-normal-0-1']);
});

test.each([
  ['of a type that came later', [], event({ type: 'BatchArchived' })],
  ['that is no event', ['event-not-read'], { hello: 'world' }],
])('a body %s is passed over, and the log has %j', async (_what, lines, body) => {
  const heard: string[] = [];
  const hear = (line: string): void => void heard.push((JSON.parse(line) as { event: string }).event);

  await withLog({ debug: () => {}, info: hear, warn: hear, error: hear }, () => started([body]));

  expect(heard).toEqual(lines);
});
