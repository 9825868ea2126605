import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { OutcomeHeader } from '../../../shared/contract/outcome.ts';
import type { Reference } from '../../../shared/contract/reference.ts';
import { createItemsRound, type ItemsRoundDeps } from '../../../shared/processing/items-round.ts';
import { encodeOutcome } from '../../../shared/processing/outcome/encode/encode-outcome.ts';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import { chunkJob } from '../../helpers/data/chunks.ts';
import { messageOf, serviceError } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

const registry = createRegistry([
  defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item }),
]);
const address = registry.queue('billing-normal-0') as QueueAddress;

/** A process that receives messages. Each chunk runs until `finish` is called. */
function world(items: number[], state = 'running') {
  const { reference, frame } = chunkJob(items, { workload: 'billing', version: 1 });
  const counts = { items: items.length, succeeded: items.length, dead: 0, cancelled: 0, retried: 0 };
  const done = encodeOutcome({ ending: 'processed', counts }, { results: items.map(String) });
  const stored = new Map<string, OutcomeHeader>();
  const running: string[] = [];
  const texts: Reference[] = [];
  const deleted: string[] = [];
  let isRefused = false;
  let looks = 0;
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const blobOf = (name: string) => ({
    downloadToBuffer: async () => Buffer.from(frame),
    getProperties: async () => {
      looks += 1;
      const outcome = stored.get(name);
      if (outcome) return { metadata: { outcome: JSON.stringify(outcome) } };
      throw serviceError(404);
    },
    upload: async (_body: Buffer, _length: number, { metadata }: { metadata: { outcome: string } }) => {
      if (stored.has(name)) throw serviceError(409);
      stored.set(name, JSON.parse(metadata.outcome) as OutcomeHeader);
    },
  });
  const queue = {
    updateMessage: async (_id: string, _receipt: string, next: string | undefined) => {
      if (isRefused) throw serviceError(400, 'PopReceiptMismatch');
      if (next !== undefined) texts.push(JSON.parse(next) as Reference);
      return { popReceipt: 'receipt' };
    },
    deleteMessage: async (id: string) => void deleted.push(id),
    sendMessage: async () => {},
  };
  const deps = {
    queues: () => queue,
    container: () => ({ getBlobClient: blobOf, getBlockBlobClient: blobOf }),
    readBatch: async () => ({ state, deadlineAt: '2026-01-01T00:05:00.000Z' }),
    running: { run: (_batch: string, run: (stop: AbortSignal) => unknown) => run(new AbortController().signal) },
    processor: {
      process: async ({ reference: { chunk } }: { reference: Reference }) => {
        running.push(chunk);
        await finished;
        return { ...done, failures: 0, failure: '', ran: items.length, causes: {} };
      },
      threads: 3,
    },
    permitsOf: () => undefined,
    lock: createSharedLock(),
    publish: async () => {},
    collectOutcomes: async () => {},
    registry,
    gate: { table: memoryTable().table, now: () => 0 },
    visibilitySeconds: 300,
    onStored: () => {},
  } as unknown as ItemsRoundDeps;
  const messageFor = (fields: Partial<Reference>, dequeueCount: number, id: string) =>
    messageOf(JSON.stringify({ ...reference, ...fields }), { dequeueCount, messageId: id });
  return {
    ...{ running, texts, deleted, finish, messageFor },
    /** How often an outcome was looked for. */
    looks: () => looks,
    endings: () => [...stored.values()].map(({ ending }) => ending),
    /** Another worker has received the message: its pop receipt is refused. */
    loseLease: () => {
      isRefused = true;
    },
    receive: (...messages: ReturnType<typeof messageFor>[]) =>
      withLog(SILENT_LOG, () => createItemsRound(deps, address)(messages)),
  };
}

describe('a chunk whose process may have crashed', () => {
  test('runs while no other chunk runs in its process', async () => {
    const { receive, messageFor, running, finish } = world([1, 2]);
    const round = receive(messageFor({ chunk: '000001' }, 1, 'a'), messageFor({ chunk: '000002' }, 2, 'b'));

    await expect.poll(() => running).toEqual(['000001']);
    finish();
    await round;

    expect(running).toEqual(['000001', '000002']);
  });

  test('is counted in its message before it runs', async () => {
    const { receive, messageFor, running, texts, finish } = world([1, 2]);
    const round = receive(messageFor({ starts: 1 }, 3, 'a'));

    await expect.poll(() => running.length).toBe(1);
    expect(texts.at(-1)?.starts).toBe(2);
    finish();
    await round;
  });

  test('does not run if its start cannot be counted, because another worker has its message', async () => {
    const { receive, messageFor, running, loseLease } = world([1, 2]);
    loseLease();

    await receive(messageFor({}, 2, 'a'));

    expect(running).toEqual([]);
  });

  test('is split after two starts that never finished', async () => {
    const { receive, messageFor, running, endings } = world([1, 2]);

    await receive(messageFor({ starts: 2 }, 4, 'a'));

    expect([running, endings()]).toEqual([[], ['split']]);
  });

  test('ends as killed after two starts that never finished, if it has one item', async () => {
    const { receive, messageFor, running, endings } = world([1]);

    await receive(messageFor({ starts: 2 }, 4, 'a'));

    expect([running, endings()]).toEqual([[], ['killed']]);
  });

  test('does not run again if another worker has stored its outcome while this one waited for the others', async () => {
    const { receive, messageFor, running, finish, endings, looks } = world([1, 2]);
    const first = receive(messageFor({}, 1, 'a'));
    await expect.poll(() => running.length).toBe(1);
    // The lease of the first was lost.
    const second = receive(messageFor({}, 2, 'a'));
    await expect.poll(looks).toBe(1);
    finish();
    await Promise.all([first, second]);

    expect([running.length, endings()]).toEqual([1, ['processed']]);
  });
});

describe('a chunk that no process may have crashed at', () => {
  test('runs beside others, also if a living process has returned it before', async () => {
    const { receive, messageFor, running, finish } = world([1, 2]);
    const returned = messageFor({ chunk: '000002', returned: 2 }, 3, 'b');
    const round = receive(messageFor({ chunk: '000001' }, 1, 'a'), returned);

    await expect.poll(() => running).toEqual(['000001', '000002']);
    finish();
    await round;
  });

  test('is deleted without a run if its batch has finished, also if a living process has returned it before', async () => {
    const { receive, messageFor, running, endings, deleted } = world([1, 2], 'completed');

    await receive(messageFor({ returned: 1 }, 2, 'a'));

    expect([running, endings(), deleted]).toEqual([[], [], ['a']]);
  });
});

test('a chunk that was put again does not run if its outcome is stored', async () => {
  const { receive, messageFor, running, finish } = world([1, 2]);
  finish();
  await receive(messageFor({}, 1, 'a'));

  await receive(messageFor({ resent: true }, 1, 'b'));

  expect(running).toHaveLength(1);
});
