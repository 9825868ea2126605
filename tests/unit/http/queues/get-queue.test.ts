import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { changeGate } from '../../../../shared/gate/gate-store.ts';
import { DEFAULT_POLICY } from '../../../../shared/gate/policy.ts';
import { writePolicy } from '../../../../shared/gate/policy-store.ts';
import { addWave } from '../../../../shared/gate/wave-record.ts';
import { getQueue } from '../../../../shared/http/queues/list-queues.ts';
import { queueDetailsSchema } from '../../../../shared/http/queues/schemas.ts';
import { createDepths } from '../../../../shared/queues/depths.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { memoryTable } from '../../../helpers/fakes/memory-table.ts';
import { requestFor } from '../requests.ts';

const QUEUE = 'plain-normal-0';
const registry = createRegistry([
  defineWorkload({ name: 'plain', version: 1, item: z.unknown(), map: (item) => item, chunk: { maxItems: 250 } }),
]);
const AT = '2026-11-22T14:03:00.000Z';
const now = () => Date.parse(AT);

function world() {
  const { table, before } = memoryTable();
  const calls: string[] = [];
  before(async (name) => {
    calls.push(name);
  });
  const get = async (query = '', queue = QUEUE) => {
    const request = requestFor(`queues/${queue}${query}`);
    Object.assign(request.params, { queue });
    calls.length = 0;
    const { recentDepth } = createDepths(async () => 77, now);
    const readOpenBatches = async () => ({ batches: [], read: 0 });
    const http = { table, registry, capacity: 10, gate: { table, now }, recentDepth, readOpenBatches };
    return queueDetailsSchema.parse((await getQueue(http, request)).jsonBody);
  };
  return { table, calls, get };
}

describe('GET queues/{queue}', () => {
  it('returns the current depth and no waves for a queue that was never woken', async () => {
    const { get, calls } = world();
    const details = await get();
    expect(details).toMatchObject({
      queue: QUEUE,
      status: 'idle',
      depth: 77,
      depthAt: AT,
      itemsPerReference: 250,
      waves: [],
    });
    expect(details.policy).toEqual({ queue: QUEUE, version: 0, policy: { ...DEFAULT_POLICY, capacity: 8 } });
    expect(calls).toEqual(['table.list']);
  });

  it('returns the latest waves, oldest first, with the limit of each, and the policy with the previous one', async () => {
    const { get, calls, table } = world();
    const wave = {
      depth: 40,
      tasks: 3,
      late: true,
      done: 7,
      items: 700,
      throttled: 2,
      secondsPerReference: 0.25,
      seconds: 12,
    };
    const waves = addWave(addWave([], { ...wave, bound: 'saturation', atMs: Date.parse(AT) - 60_000 }), {
      ...wave,
      bound: 'rule',
      atMs: Date.parse(AT),
    });
    await changeGate(table, QUEUE, () => ({ waves, depth: 5, depthAt: AT }));
    const policy = { ...DEFAULT_POLICY, capacity: 3 };
    await writePolicy(table, QUEUE, { policy, initial: DEFAULT_POLICY });

    const details = await get();

    expect(details.waves).toEqual([
      { ...wave, at: '2026-11-22T14:02:00.000Z', bound: 'saturation', limitedBy: 'busy instances' },
      { ...wave, at: AT, bound: 'rule', limitedBy: 'the thresholds of the policy' },
    ]);
    expect(details.depth).toBe(5);
    expect(details.policy).toEqual({ queue: QUEUE, version: 1, policy, previous: DEFAULT_POLICY });
    expect(calls).toEqual(['table.list', 'table.get']);
    expect((await get('?fresh')).depth).toBe(77);
  });
});
