import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MalformedMessageError } from '../../../shared/contract/errors.ts';
import type { BlobReference } from '../../../shared/contract/reference.ts';
import { UNLIMITED } from '../../../shared/drain/slice-time.ts';
import type { NamedFile, NamedFileEnd } from '../../../shared/intake/inbox/named-file.ts';
import { readReferenceOn } from '../../../shared/processing/adopt.ts';
import { createItemsRound, type ItemsRoundDeps } from '../../../shared/processing/items-round.ts';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';
import { createSlots, type Slots } from '../../../shared/slots.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { defineWorkload } from '../../../shared/workload/define.ts';
import { createRegistry, type QueueAddress } from '../../../shared/workload/registry.ts';
import { messageOf, serviceError } from '../../helpers/data/factories.ts';
import { memoryTable } from '../../helpers/fakes/memory-table.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

const registry = createRegistry([
  defineWorkload({ name: 'billing', version: 1, item: z.unknown(), map: (item) => item }),
]);
const address = registry.queue('billing-normal-0') as QueueAddress;
const REFERENCE: BlobReference = { v: 2, workload: 'billing', producer: 'erp', blob: 'billing/a.ndjson' };

/** The visibility timeout. */
const RENEWED = 300;

/** A worker on one message of version 2. Deliveries are counted as the service counts them. */
function world(reference: BlobReference = REFERENCE) {
  let text = JSON.stringify(reference);
  let deliveries = 0;
  const seen = { asked: [] as Omit<NamedFile, 'signal'>[], waits: [] as number[], poison: [] as string[], deleted: 0 };
  const logged: { level: string; line: string }[] = [];
  const note = (level: string) => (line: string) => void logged.push({ level, line: String(line) });
  let fault: { on: 'update' | 'poison'; error: object } | undefined;
  const meet = (on: 'update' | 'poison'): void => {
    if (fault?.on === on) throw fault.error;
  };
  const queue = {
    name: address.queue,
    updateMessage: async (_id: string, _receipt: string, next: string | undefined, seconds: number) => {
      meet('update');
      text = next ?? text;
      seen.waits.push(seconds);
      return { popReceipt: 'receipt' };
    },
    deleteMessage: async () => {
      seen.deleted += 1;
    },
    sendMessage: async (message: string) => {
      meet('poison');
      seen.poison.push(message);
    },
  };
  return {
    ...{ seen, logged },
    /** Makes calls of one kind fail, or none. */
    setFault: (next: typeof fault): void => {
      fault = next;
    },
    /** The message as it is stored in the queue. */
    left: () => JSON.parse(text) as BlobReference,
    /** A receiver that does not support version 2. */
    leave: () => {
      deliveries += 1;
    },
    /** A process that crashes while it takes the blob. */
    die: () => new Promise<void>((taking) => void deliver(() => new Promise(() => taking()))),
    deliver,
  };

  /** `fileSlots` are those of the process. */
  async function deliver(
    take: () => Promise<NamedFileEnd>,
    { isOver = (): boolean => false, fileSlots = createSlots(1) } = {},
  ) {
    deliveries += 1;
    const deps = {
      queues: () => queue,
      takeFile: (file: Omit<NamedFile, 'signal'>) => {
        seen.asked.push(file);
        return take();
      },
      processor: { threads: 1 },
      fileSlots,
      lock: createSharedLock(),
      publish: async () => expect.fail('A blob that becomes a batch has no result message.'),
      registry,
      gate: { table: memoryTable().table, now: () => 0 },
      visibilitySeconds: RENEWED,
    } as unknown as ItemsRoundDeps;
    const message = messageOf(text, { dequeueCount: deliveries });
    const sink = { ...SILENT_LOG, error: note('error'), warn: note('warn') };
    return withLog(sink, () => createItemsRound(deps, address)([message], { ...UNLIMITED, isOver }));
  }
}

/** Slots that other files use until they end. */
function busySlots(): { fileSlots: Slots; endOthers: () => void } {
  const fileSlots = createSlots(1);
  const { promise, resolve } = Promise.withResolvers<void>();
  void fileSlots.run(() => promise);
  return { fileSlots, endOthers: resolve };
}

const ends = (end: NamedFileEnd) => async (): Promise<NamedFileEnd> => end;
const STUCK: NamedFileEnd = { end: 'stuck', error: new Error('It has a lease.'), decision: undefined };

describe('a reference of version 2', () => {
  it.each(['accepted', 'rejected', 'taken'] as const)(
    'whose blob is %s is deleted, and counts as done',
    async (end) => {
      const worker = world({ ...REFERENCE, etag: '0x1', traceparent: 'nonsense' });

      expect(await worker.deliver(ends({ end }))).toMatchObject({
        received: 1,
        done: 1,
        items: 0,
        orphanedReferences: 0,
      });

      expect(worker.seen).toMatchObject({ deleted: 1, waits: [], poison: [] });
      expect(worker.seen.asked).toEqual([
        {
          ...{ name: REFERENCE.blob, producer: 'erp', etag: '0x1', traceparent: undefined, namedAt: expect.any(Date) },
          isAlone: false,
        },
      ]);
    },
  );

  it('whose blob has probably ended a process twice is taken again while nothing else runs', async () => {
    const worker = world();
    const results: NamedFileEnd[] = [{ end: 'suspect' }, { end: 'rejected' }];

    await worker.deliver(async () => results.shift() ?? STUCK);

    expect(worker.seen.asked.map(({ isAlone }) => isAlone)).toEqual([false, true]);
    expect(worker.seen).toMatchObject({ deleted: 1, poison: [] });
  });

  it.each<[string, () => Promise<NamedFileEnd>]>([
    ['is being taken by another worker', ends({ end: 'deferred' })],
    ['is not read completely', ends({ end: 'unfinished' })],
    ['is read from a busy service', () => Promise.reject(serviceError(503))],
  ])(
    'whose blob %s is delivered again after five seconds, any number of times, and is not charged',
    async (_what, take) => {
      const worker = world();
      for (let n = 1; n <= 9; n++) expect(await worker.deliver(take)).toMatchObject({ received: 1, done: 0 });

      expect(worker.seen).toMatchObject({ deleted: 0, poison: [] });
      expect(worker.seen.waits.filter((seconds) => seconds !== RENEWED)).toEqual(Array(9).fill(5));
      expect(worker.left().tries ?? 0).toBe(0);
      await worker.deliver(ends({ end: 'absent' }));
      expect(worker.seen).toMatchObject({ deleted: 0, poison: [] });
    },
  );

  it.each<[string, () => Promise<NamedFileEnd>, RegExp]>([
    ['does not exist', ends({ end: 'absent' }), /billing\/a\.ndjson does not exist in container inbox/],
    ['cannot be moved away', ends(STUCK), /It has a lease/],
    ['cannot be read', () => Promise.reject(serviceError(400)), /400/],
  ])('whose blob %s is moved to the poison queue at its fifth try, with the reason', async (_what, take, reason) => {
    const worker = world();
    for (let n = 1; n <= 4; n++) await worker.deliver(take);
    expect(worker.seen).toMatchObject({ deleted: 0, poison: [] });

    expect(worker.seen.waits.filter((seconds) => seconds !== RENEWED)).toEqual(Array(4).fill(60));

    expect(await worker.deliver(take)).toMatchObject({ received: 1, done: 0 });

    expect(worker.seen.deleted).toBe(1);
    expect(worker.seen.poison).toHaveLength(1);
    expect(JSON.parse(worker.seen.poison[0] ?? '')).toMatchObject({
      ...{
        v: 1,
        queue: address.queue,
        text: JSON.stringify({ ...REFERENCE, tries: 4 }),
        reason: expect.stringMatching(reason),
      },
    });
    expect(
      worker.logged.filter(({ level, line }) => level === 'error' && line.includes('poison-message')),
    ).toHaveLength(1);
  });

  it('whose lease is lost before its try is counted is left to the worker that has the message now', async () => {
    const worker = world();
    worker.leave();
    worker.setFault({ on: 'update', error: serviceError(404, 'MessageNotFound') });

    expect(await worker.deliver(ends({ end: 'accepted' }))).toMatchObject({ received: 1, done: 0 });

    expect(worker.seen).toMatchObject({ asked: [], deleted: 0, poison: [] });
  });

  it('that cannot be copied to the poison queue stays, and is moved there at its next delivery', async () => {
    const worker = world({ ...REFERENCE, tries: 4 });
    worker.setFault({ on: 'poison', error: serviceError(503) });
    expect(await worker.deliver(ends({ end: 'absent' }))).toMatchObject({ received: 1, done: 0 });
    expect(worker.seen).toMatchObject({ deleted: 0, poison: [] });
    expect(worker.logged.filter(({ line }) => line.includes('message-not-set-aside'))).toHaveLength(1);
    worker.setFault(undefined);

    await worker.deliver(ends({ end: 'absent' }));

    expect(worker.seen).toMatchObject({ deleted: 1, poison: [expect.any(String)] });
  });

  it('that crashes one process after the other is finally moved to the poison queue', async () => {
    const worker = world();
    // The first delivery is not counted: only a repeated delivery may follow a crash.
    for (let n = 1; n <= 6; n++) await worker.die();
    expect(worker.left().tries).toBe(5);

    await worker.deliver(() => expect.fail('It is not taken.'));

    expect(worker.seen).toMatchObject({ deleted: 1, poison: [expect.stringMatching(/each of 5 tries/)] });
  });

  it('that others received without a try is not charged for it', async () => {
    const worker = world();
    for (let n = 1; n <= 20; n++) worker.leave();

    await worker.deliver(ends({ end: 'absent' }));
    expect(worker.seen).toMatchObject({ deleted: 0, poison: [] });
    expect(worker.left().tries).toBe(1);

    expect(await worker.deliver(ends({ end: 'accepted' }))).toMatchObject({ done: 1 });
  });

  it('that is received after the end of the slice is returned immediately, uncharged', async () => {
    const worker = world();

    await worker.deliver(() => expect.fail('It is not taken.'), { isOver: () => true });

    expect(worker.seen).toMatchObject({ deleted: 0, waits: [0] });
    expect(worker.left()).toEqual(REFERENCE);
  });

  it('that waits behind other files until the end of the slice is returned, uncharged', async () => {
    const worker = world();
    const { fileSlots, endOthers } = busySlots();
    let isOver = false;

    const delivered = worker.deliver(() => expect.fail('It is not taken.'), { fileSlots, isOver: () => isOver });
    while (fileSlots.waiting === 0) await setImmediate();
    isOver = true;
    endOthers();
    await delivered;

    expect(worker.seen).toMatchObject({ deleted: 0, waits: [0], poison: [] });
    expect(worker.left()).toEqual(REFERENCE);
  });

  it('that waits behind a file that crashes its process is not charged', async () => {
    const worker = world();
    for (let n = 1; n <= 2; n++) {
      const { fileSlots } = busySlots();
      void worker.deliver(() => expect.fail('The process is dead.'), { fileSlots });
      while (fileSlots.waiting === 0) await setImmediate();
    }

    expect(worker.left()).toEqual(REFERENCE);
  });

  it.each<[string, Partial<BlobReference>]>([
    ['for another workload than that of its queue', { workload: 'other', blob: 'other/a.ndjson' }],
    ['to a blob of another workload', { blob: 'other/a.ndjson' }],
    ['to a file to import', { blob: 'billing/a.ndjson.url' }],
  ])('%s is malformed', (_what, fields) => {
    expect(() => readReferenceOn(address, JSON.stringify({ ...REFERENCE, ...fields }))).toThrow(MalformedMessageError);
  });
});
