import { expect, it } from 'vitest';
import type { BatchRow } from '../../../shared/batches/batch-row.ts';
import { submit } from '../../../shared/intake/submit.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { InboxWorld, registry } from './inbox/inbox-world.ts';

const workload = registry.workload('plain') as NonNullable<ReturnType<typeof registry.workload>>;

/** Uploads a record under one idempotency key; `meanwhile` runs while the body is read. */
function upload(
  world: InboxWorld,
  record: string,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<BatchRow> {
  async function* body(): AsyncGenerator<Uint8Array> {
    await meanwhile();
    yield Buffer.from(record);
  }
  return withLog(SILENT_LOG, () =>
    submit(world.deps, {
      ...{ workload, key: 'order-7', body: body(), format: 'ndjson', encoding: 'identity' },
      limits: { ...world.deps.settings, maxBodyBytes: 1e6 },
      source: { kind: 'http', name: 'test' },
    }),
  );
}

/** Uploads `first`, which is so slow that its claim expires and `second` is accepted under the same key. */
function overtaken(world: InboxWorld, first: string, second: string) {
  return upload(world, first, async () => {
    world.wait();
    await upload(world, second);
  });
}

it('refuses an upload that one with other content has overtaken, and keeps the accepted batch', async () => {
  const world = new InboxWorld();

  await expect(overtaken(world, '{"id":1}', '{"id":2}')).rejects.toMatchObject({ type: 'idempotency-mismatch' });

  const batches = await world.batches();
  expect(batches.map((batch) => world.recordsOf(batch))).toEqual(['{"id":2}\n']);
  expect(world.names('payloads/')).toHaveLength(1);
  expect(await upload(world, '{"id":2}')).toMatchObject({ id: batches[0]?.id });
});

it('returns the accepted batch to an upload that one with the same content has overtaken', async () => {
  const world = new InboxWorld();

  const { id } = await overtaken(world, '{"id":1}', '{"id":1}');

  expect((await world.batches()).map((batch) => batch.id)).toEqual([id]);
  expect(world.names('payloads/')).toHaveLength(1);
});
