import { expect, test } from 'vitest';
import { submitItems } from '../../../shared/intake/submit-items.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { InboxWorld, registry } from './inbox/inbox-world.ts';

const LIMITS = { maxBodyBytes: 1e6, maxDecodedBytes: 1e6, maxRecordBytes: 1_000, maxItems: 10_000 };

const submitted = (world: InboxWorld, request: Parameters<typeof submitItems>[1]) =>
  withLog(SILENT_LOG, () => submitItems({ ...world.deps, registry, settings: LIMITS }, request));

test('makes a batch of items from a list or a stream, once per key', async () => {
  const world = new InboxWorld();
  async function* stream() {
    for (let n = 0; n < 5_000; n += 1) yield { n };
  }
  const first = await submitted(world, { workload: 'plain', items: [{ n: 1 }, null, 'two'], key: 'due-1' });
  expect(first.items).toBe(3);
  expect(await submitted(world, { workload: 'plain', items: [{ n: 1 }, null, 'two'], key: 'due-1' })).toEqual(first);
  const second = await submitted(world, { workload: 'plain', items: stream(), labels: { team: 'a b' } });
  expect(second.items).toBe(5_000);
  expect((await world.batches()).map(({ id, accepted }) => [id, accepted]).sort()).toEqual(
    [
      [first.id, 3],
      [second.id, 5_000],
    ].sort(),
  );
});

test.each([
  [{ workload: 'none', items: [1] }, 'No workload is named "none"'],
  [{ workload: 'plain', items: [1], lane: 'fast' }, 'lane: expected one of normal, got "fast"'],
  [{ workload: 'plain', items: [1], key: 'ü' }, 'key: expected 1 to 255 printable ASCII characters'],
  [{ workload: 'plain', items: [1], labels: { Team: 'x' } }, "Expected a label's key"],
  [{ workload: 'plain', items: [] }, 'contains no record'],
  [{ workload: 'plain', items: [1, undefined, 3] }, 'Expected an item that JSON can express, got undefined'],
  [{ workload: 'plain', items: ['x'.repeat(2_000)] }, 'Line 1'],
])('accepts nothing of %j', async (request, message) => {
  const world = new InboxWorld();
  await expect(submitted(world, request)).rejects.toThrow(message);
  expect(await world.batches()).toEqual([]);
});
