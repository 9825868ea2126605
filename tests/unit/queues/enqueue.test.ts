import { expect, test } from 'vitest';
import { z } from 'zod';
import { readReference } from '../../../shared/contract/reference.ts';
import type { EventDetails } from '../../../shared/events/publish.ts';
import { readGate } from '../../../shared/gate/gate-store.ts';
import { enqueue } from '../../../shared/queues/enqueue.ts';
import type { Queue } from '../../../shared/queues/messages.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry } from '../../../shared/workload/registry.ts';
import { BATCH, chunkRowOf, referenceOf, serviceError } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

const workload = defineWorkload({
  name: 'billing',
  version: 1,
  item: z.unknown(),
  map: (item) => item,
  queuesPerLane: 2,
});
const registry = createRegistry([workload]);
const BATCH_OF_ROWS = { id: BATCH, workload: 'billing', lane: 'normal' };

function fixture({ missing = false, refused = '', wanted = true } = {}) {
  const calls: string[] = [];
  const wakes: unknown[] = [];
  const { table } = memoryTable();
  let exists = !missing;
  const queues = (name: string): Queue => {
    const queue = {
      name,
      create: async () => {
        calls.push(`create ${name}`);
        exists = true;
      },
      sendMessage: async (text: string, options: { messageTimeToLive: number; visibilityTimeout: number }) => {
        if (!exists) throw serviceError(404);
        const { chunk, resent } = JSON.parse(text) as { chunk: string; resent?: boolean };
        if (chunk === refused) throw serviceError(400);
        const { messageTimeToLive, visibilityTimeout } = options;
        calls.push(`put ${name} ${chunk} ${messageTimeToLive} ${visibilityTimeout}${resent ? ' resent' : ''}`);
      },
    };
    return queue as unknown as Queue;
  };
  const deps = {
    queues,
    registry,
    gate: { table, now: () => Date.parse('2026-01-01T00:00:00.000Z') },
    publish: async ({ queue }: { queue: string }, event: EventDetails) => {
      calls.push(`wake ${queue}`);
      wakes.push([queue, event.items, event.payloadBytes]);
    },
    needsWake: async (queue: string) => {
      calls.push(`ask ${queue}`);
      return wanted;
    },
  };
  return { deps, calls, wakes, table };
}

test('every reference is put without expiry before its queue is woken, and each queue is woken once', async () => {
  const { deps, calls } = fixture();

  await enqueue(
    deps,
    BATCH_OF_ROWS,
    ['000000', '000001', '000002'].map((chunk) => chunkRowOf({ chunk })),
  );

  expect(calls).toEqual([
    'put billing-normal-0 000000 -1 0',
    'put billing-normal-1 000001 -1 0',
    'put billing-normal-0 000002 -1 0',
    'wake billing-normal-0',
    'wake billing-normal-1',
  ]);
});

test('the queues of a lane are woken at the same time, so that an unavailable topic costs the time of one send', async () => {
  const { deps } = fixture();
  const pending: (() => void)[] = [];
  deps.publish = () => new Promise((done) => void pending.push(done));

  const enqueued = enqueue(
    deps,
    BATCH_OF_ROWS,
    ['000000', '000001'].map((chunk) => chunkRowOf({ chunk })),
  );
  await expect.poll(() => pending.length).toBe(2);
  for (const finish of pending) finish();
  await enqueued;
});

test.each([
  [true, ['put billing-normal-0 000000 -1 0', 'ask billing-normal-0', 'wake billing-normal-0']],
  [false, ['put billing-normal-0 000000 -1 0', 'ask billing-normal-0']],
])('an upload checks after its puts whether its queue needs a wake: %s', async (wanted, steps) => {
  const { deps, calls } = fixture({ wanted });

  await enqueue(deps, BATCH_OF_ROWS, [chunkRowOf({ chunk: '000000' })], { isUpload: true });

  expect(calls).toEqual(steps);
});

test.each([{}, { resent: true }])('work that is no upload wakes its queue without a check (%o)', async (options) => {
  const { deps, calls } = fixture({ wanted: false });

  await enqueue(deps, BATCH_OF_ROWS, [chunkRowOf({ chunk: '000000' })], options);

  expect(calls.slice(1)).toEqual(['wake billing-normal-0']);
});

test('a wake contains how many items and decoded bytes were put on its queue, without refused ones', async () => {
  const { deps, wakes } = fixture({ refused: '000002' });
  const rows = ['000000', '000001', '000002', '000004'].map((chunk, index) =>
    chunkRowOf({ chunk, items: 10 + index, reference: referenceOf({ chunk, bytes: 1_000 * (index + 1) }) }),
  );

  await withLog(SILENT_LOG, () => enqueue(deps, BATCH_OF_ROWS, rows));

  expect(wakes).toEqual([
    ['billing-normal-0', 10 + 13, 1_000 + 4_000],
    ['billing-normal-1', 11, 2_000],
  ]);
});

test('a delayed reference is invisible until it is due, and its gate records the time', async () => {
  const { deps, calls, table } = fixture();

  await enqueue(deps, BATCH_OF_ROWS, [chunkRowOf({ chunk: '000000.r1', dueAt: '2026-01-01T00:00:04.200Z' })]);

  expect(calls).toEqual(['put billing-normal-0 000000.r1 -1 5', 'wake billing-normal-0']);
  expect((await readGate(table, 'billing-normal-0')).row.due).toEqual(['2026-01-01T00:00:05.000Z']);
});

test('the gate records every due time of several references, except those that have passed', async () => {
  const { deps, table } = fixture();
  const rows = ['2026-01-01T00:00:30.000Z', '2026-01-01T00:00:01.000Z', '2025-12-31T23:59:59.000Z'];

  await enqueue(
    deps,
    BATCH_OF_ROWS,
    rows.map((dueAt, index) => chunkRowOf({ chunk: `00000${index * 2}.r1`, dueAt })),
  );

  const { due } = (await readGate(table, 'billing-normal-0')).row;
  expect(due).toEqual(['2026-01-01T00:00:01.000Z', '2026-01-01T00:00:30.000Z']);
});

test('a queue is created when it is first used', async () => {
  const { deps, calls } = fixture({ missing: true });

  await enqueue(deps, BATCH_OF_ROWS, [chunkRowOf({ chunk: '000000' })], { resent: true });

  expect(calls).toEqual([
    'create billing-normal-0',
    'put billing-normal-0 000000 -1 0 resent',
    'wake billing-normal-0',
  ]);
});

test('a reference that the service refuses delays no other, and is logged for an operator', async () => {
  const { deps, calls } = fixture({ refused: '000000' });
  const lines: string[] = [];
  const heard = (line: string): void => void lines.push(line);
  const rows = ['000000', '000001'].map((chunk) => chunkRowOf({ chunk }));

  await withLog({ debug: heard, info: heard, warn: heard, error: heard }, () => enqueue(deps, BATCH_OF_ROWS, rows));

  expect(calls).toEqual(['put billing-normal-1 000001 -1 0', 'wake billing-normal-1']);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'message-refused', queue: 'billing-normal-0', batch: BATCH, chunk: '000000' },
  ]);
});

test('a reference with characters of any script is put as ASCII', async () => {
  const { deps } = fixture();
  const texts: string[] = [];
  const queue = { name: 'q', sendMessage: async (text: string) => void texts.push(text) } as unknown as Queue;
  const reference = referenceOf({ blob: 'Ошибка.zst' });

  await enqueue({ ...deps, queues: () => queue }, BATCH_OF_ROWS, [chunkRowOf({ chunk: '000000', reference })]);

  expect(texts[0]).toMatch(/^[ -~]*$/);
  expect(readReference(String(texts[0]))).toEqual(reference);
});

test('enqueuing no rows wakes no queue', async () => {
  const { deps, calls } = fixture();

  await enqueue(deps, BATCH_OF_ROWS, []);

  expect(calls).toEqual([]);
});

test('the references of a batch start at its offset, and only the queues that received some are woken', async () => {
  const { deps, calls } = fixture();

  await enqueue(deps, { ...BATCH_OF_ROWS, queueOffset: 7 }, [chunkRowOf({ chunk: '000000' })]);

  expect(calls).toEqual(['put billing-normal-1 000000 -1 0', 'wake billing-normal-1']);
});
