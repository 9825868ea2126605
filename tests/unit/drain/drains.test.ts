import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createGateDeps, type DrainClient, type DrainsDeps } from '../../../shared/drain/drains.ts';
import { DrainStartError } from '../../../shared/errors.ts';
import { newGate } from '../../../shared/gate/gate-row.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';

const workload = defineWorkload({ name: 'w', version: 1, item: z.unknown(), map: (item) => item, lanes: ['n'] });
const GATE = { ...newGate('w-n-0'), status: 'draining', generation: 1, instanceId: 'drain-w-n-0-1' } as const;
const NO = new Error('no');
const failing = (): Promise<never> => Promise.reject(NO);

/** Starts the drain of the gate. Returns the error that was thrown. */
function start(client: Partial<DrainClient>, deps: Partial<DrainsDeps> = {}): Promise<unknown> {
  const working = { startNew: async () => GATE.instanceId, getStatus: failing } satisfies DrainClient;
  const { start } = createGateDeps(
    {
      gate: { table: memoryTable().table, now: () => 0 },
      registry: createRegistry([workload]),
      depthOf: async () => 1,
      plan: async () => ({ depth: 1, wakes: 0, tasks: 1, quota: 1, receive: 1, sliceSeconds: 30, probe: false }),
      ...deps,
    },
    { ...working, ...client },
  );
  return start(GATE).catch((thrown: unknown) => thrown);
}
const saying = (runtimeStatus: string): Partial<DrainClient> => ({
  startNew: failing,
  getStatus: async () => ({ runtimeStatus }) as never,
});

describe('the start of a drain', () => {
  test.each<[string, Partial<DrainClient>]>([
    ['does not know the instance', { startNew: failing, getStatus: () => Promise.reject(new Error('HTTP 404')) }],
    ['returns no status either', { startNew: failing, getStatus: () => Promise.reject(new Error('silent')) }],
    ['the instance has failed', saying('Failed')],
    ['the instance was ended', saying('Canceled')],
  ])('fails with a start error if the runtime refuses it and %s', async (_what, client) => {
    const thrown = await start(client);

    expect(thrown).toBeInstanceOf(DrainStartError);
    expect(thrown).toMatchObject({ message: 'no', cause: NO });
  });

  test.each(['Running', 'Pending', 'ContinuedAsNew', 'Completed'])(
    'succeeds if the instance is already %s',
    async (status) => {
      expect(await start(saying(status))).toBeUndefined();
    },
  );

  test.each(['depthOf', 'plan'] as const)('fails with the error of %s', async (part) => {
    expect(await start({}, { [part]: failing })).toBe(NO);
  });
});
