import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createMeter } from '../../shared/cost/meter.ts';
import { NOTHING_PUT } from '../../shared/events/publish.ts';
import { readGate } from '../../shared/gate/gate-store.ts';
import { createPipeline, type PipelineClients } from '../../shared/pipeline.ts';
import { readSettings } from '../../shared/settings.ts';
import { withLog } from '../../shared/telemetry/log.ts';
import { batchRowOf } from '../helpers/data/factories.ts';
import { HOST } from '../helpers/fakes/host-limits.ts';
import { memoryTable } from '../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../helpers/fakes/silent-log.ts';
import { address, registry, wave } from './drain/drain-fixtures.ts';
import { sourcesIn } from './infra/code.ts';

const settings = readSettings({ SluiceStorage: 'none', SluiceServiceBus: 'none', SLUICE_POOL: 'default' });

/** A pipeline whose topic does not respond, on tables in memory. */
function world() {
  const { table: gates } = memoryTable();
  const started: unknown[] = [];
  const closed: string[] = [];
  const clients = {
    ...{ account: 'acc', gates, batches: memoryTable().table, keys: memoryTable().table, meter: createMeter() },
    topic: { sendMessages: () => Promise.reject(new Error('away')) },
    queue: () => ({ getProperties: async () => ({ approximateMessagesCount: 3 }) }),
    close: async () => void closed.push('clients'),
  } as unknown as PipelineClients;
  const processor = {
    threads: 1,
    process: () => Promise.reject(new Error('unreachable')),
    close: async () => void closed.push('processor'),
  };
  const durable = {
    startNew: async (_name: string, { input }: { input: unknown }) => void started.push(input),
    purgeInstanceHistoryBy: async () => ({ instancesDeleted: 4 }),
  } as never;
  const pipeline = createPipeline({ settings, registry, host: HOST, processor, clients });
  return { pipeline, durable, gates, started, closed };
}

describe('a pipeline', () => {
  test('creates nothing before its first use: settings without storage cause no error until then', () => {
    const { clients, deps } = createPipeline({ settings, registry, host: HOST, processor: new URL('file:///none.ts') });

    expect(clients).toThrow();
    expect(deps).toThrow();
  });

  test('creates each of its parts once', () => {
    const { pipeline } = world();

    expect(pipeline.deps()).toBe(pipeline.deps());
    expect(pipeline.activities()).toBe(pipeline.activities());
  });

  test('is not imported in shared/, and does not import http', () => {
    const imports = sourcesIn('shared').flatMap(({ file, text }) =>
      [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path]) => ({ file, to: join(dirname(file), path ?? '') })),
    );
    expect(imports.filter(({ to }) => to === 'shared/pipeline.ts')).toEqual([]);
    expect(imports.filter(({ file, to }) => file === 'shared/pipeline.ts' && to.startsWith('shared/http/'))).toEqual(
      [],
    );
  });

  test('closes the object that runs chunks, but not clients that the caller has passed', async () => {
    const { pipeline, closed } = world();

    await pipeline.close();

    expect(closed).toEqual(['processor']);
  });

  test('receives nothing after it has returned its work', async () => {
    const { pipeline } = world();
    const task = { queue: address.queue, generation: 1, task: 't0', wave: wave({}) };
    const before = await withLog(SILENT_LOG, () => pipeline.activities().dequeueBatch(task));

    pipeline.returnWork();

    expect([before.ended, (await pipeline.activities().dequeueBatch(task)).ended]).toEqual(['fenced', 'fault']);
  });

  test('publishes events about a batch with its lane and the first queue of the lane', () => {
    const { addressOf } = world().pipeline.deps();

    expect(addressOf(batchRowOf({ workload: 'billing', lane: 'normal' }))).toBe(address);
  });
});

describe('without a topic', () => {
  test('a request starts the drain itself, with a first wave that is sized by the queue', async () => {
    const { pipeline, durable, gates, started } = world();

    await withLog(SILENT_LOG, () =>
      pipeline.requestDeps(durable).publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT }),
    );

    expect(started).toMatchObject([{ queue: address.queue, generation: 1, wave: { depth: 3 } }]);
    expect((await readGate(gates, address.queue)).row.status).toBe('draining');
  });

  test.each([
    ['a drain', 'deps'],
    ['a sweep, which goes over the queues itself,', 'sweepDeps'],
  ] as const)('%s fails, so that the call is repeated', async (_who, name) => {
    const { pipeline, durable, started } = world();

    await expect(
      pipeline[name](durable).publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT }),
    ).rejects.toThrow('away');
    expect(started).toEqual([]);
  });
});

test('a sweep covers the pool of the settings, and purges with the client of its invocation', async () => {
  const { pipeline, durable } = world();
  const { pool, purgeDrains } = pipeline.sweepDeps(durable);

  expect([pool, await purgeDrains(new Date(0), new Date(1))]).toEqual(['default', 4]);
});
