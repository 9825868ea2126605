import { expect, test } from 'vitest';
import { NOTHING_PUT } from '../../../shared/events/publish.ts';
import { publishOrWake, withWakeFallback } from '../../../shared/events/wake-fallback.ts';
import { wake } from '../../../shared/gate/gate.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { address } from '../drain/drain-fixtures.ts';

test('a wake that cannot be published has a fallback; any other event fails, so that its caller repeats it', async () => {
  const woken: string[] = [];
  const unpublished = () => Promise.reject(new Error('away'));
  const publish = withWakeFallback(unpublished, async ({ queue }) => void woken.push(queue));

  await withLog(SILENT_LOG, () => publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT }));
  await expect(publish(address, { type: 'BatchCompleted' })).rejects.toThrow('away');
  await expect(publish(address, { type: 'ItemsDeadLettered' })).rejects.toThrow('away');

  expect(woken).toEqual([address.queue]);
});

test.each([
  [undefined, 1],
  ['default', 1],
  ['other', 0],
])('without its topic, an app of pool %s wakes only its own queues', async (pool, generation) => {
  const { table } = memoryTable();
  const gate = { table, now: () => 0, start: async () => {}, status: async () => undefined };
  const publish = publishOrWake(() => Promise.reject(new Error('away')), { pool, wake: (queue) => wake(gate, queue) });

  await withLog(SILENT_LOG, () => publish(address, { type: 'QueueWorkDetected', ...NOTHING_PUT }));

  expect((await readGate(table, address.queue)).row.generation).toBe(generation);
});
