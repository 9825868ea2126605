/** Producers and consumers of any technology on one queue, with messages of versions 1 and 2 and of a future one. */
import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listBatchesOf } from '../../../shared/batches/listing/listing.ts';
import { newBatchId } from '../../../shared/contract/names.ts';
import type { WorkCounts } from '../../../shared/gate/planning/slice-result.ts';
import { scanInbox } from '../../../shared/intake/inbox/inbox.ts';
import { receive } from '../../../shared/queues/messages.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import type { QueueAddress } from '../../../shared/workload/registry.ts';
import { referenceOf } from '../../helpers/data/factories.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';
import { DONE, ITEMS, RESULTS, useWorld } from '../in-process/use-world.ts';
import { itemsOf, ndjson } from '../in-process/world.ts';
import { type Consumer, ForeignParty } from './foreign-party.ts';

const POISON = 'echo-poison';
const use = useWorld();
let foreign: ForeignParty;
let seen: string[] = [];
const note = (line: string): void => void seen.push(line);
const sink = { ...SILENT_LOG, warn: note, error: note };

beforeAll(() => {
  foreign = new ForeignParty(use.world.settings.storage.connectionString ?? '');
});
afterEach(async () => {
  seen = [];
  for (const queue of [ITEMS, RESULTS, POISON]) await use.world.clients.queue(queue).clearMessages();
});

/** Events of the log with their attributes. */
const logged = (event: string): string[] => seen.filter((line) => line.startsWith(`{"event":"${event}"`));

const publish = (body: Record<string, unknown>): Promise<void> => use.world.topic.sendMessages({ body });
const drain = async (): Promise<void> => {
  await publish({ type: 'QueueWorkDetected', queue: ITEMS });
  await withLog(sink, () => use.world.drainAll());
};

/** Receives the visible messages once. */
async function round(): Promise<WorkCounts> {
  const { clients, deps, pipeline } = use.world;
  const messages = await receive(clients.queue(ITEMS), 32, 30);
  return withLog(sink, () => pipeline.roundFor(deps.registry.queue(ITEMS) as QueueAddress)(messages));
}

/** Messages of a queue, also those that are invisible. */
const depthOf = (queue: string): Promise<number> => use.world.deps.depthOf(queue);

/** Returns the batches of a file of this name. */
async function batchesOf(file: string) {
  const days = [new Date().toISOString().slice(0, 10)];
  const { batches } = await listBatchesOf(use.world.clients.batches, { days, limit: 200, workload: 'echo' });
  const rows = await Promise.all(batches.map(({ id }) => use.world.batch(id)));
  return rows.filter(({ sourceName }) => sourceName === file);
}

const fits = (schema: string, value: unknown): unknown => {
  const url = new URL(`../../../docs/contract/${schema}.schema.json`, import.meta.url);
  const validate = new Ajv2020().compile(JSON.parse(readFileSync(url, 'utf8')) as object);
  return validate(value) || validate.errors;
};

/** The handler of the workload, as another technology would write it. */
const consumer: Consumer = {
  handle: ({ id, part, amount }) => ({ id, part, amount }),
  publish: async (event) => {
    expect(fits('event.v1', event)).toBe(true);
    await publish(event);
  },
};

describe('one queue', () => {
  it('serves producers and consumers of two versions and technologies, and every batch is exact', async () => {
    const own = await withLog(SILENT_LOG, () => use.world.submit(itemsOf(30)));
    const file = 'echo/usage.ndjson';
    const etag = await foreign.drop(file, ndjson(itemsOf(9)));
    const message = { v: 2, workload: 'echo', producer: 'erp-1', blob: file, etag };
    expect(fits('reference.v2', message)).toBe(true);
    await foreign.put(ITEMS, message);
    await foreign.put(ITEMS, { v: 3, workload: 'echo', hologram: true });
    await foreign.put(ITEMS, 'text instead of a reference');

    // It knows only version 1. It receives the others four times, and leaves them.
    for (let n = 1; n <= 3; n++) expect(await foreign.consume(ITEMS, 0, consumer)).toBe(0);
    expect(await foreign.consume(ITEMS, 4, consumer)).toBe(4);
    expect(await depthOf(ITEMS)).toBe(30 / 3 - 4 + 3);
    await drain();

    const row = await use.world.batch(own.id);
    expect(row).toMatchObject({
      ...{ state: 'completed', accepted: 30, succeeded: 30, dead: 0, chunksDone: 10, duplicatesSeen: 0 },
    });
    // The time that the foreign consumer reports for its four chunks; the other blob costs no batch anything.
    expect(row.handlerSeconds).toBeGreaterThanOrEqual(4 * 0.25);
    expect(Object.keys(row.operations)).not.toContain('blob.copy');
    expect(await use.world.report(own.id, 0)).toEqual({
      a: { items: 10, amount: 135 },
      b: { items: 10, amount: 145 },
      c: { items: 10, amount: 155 },
    });
    expect(await batchesOf(file)).toMatchObject([
      { ...DONE, producer: 'erp-1', duplicatesSeen: 0, sourceKind: 'inbox' },
    ]);
    // The invalid message is gone, and the message of the future version is still in its queue.
    expect([logged('poison-message').length, await depthOf(POISON)]).toEqual([1, 1]);
    expect([logged('newer-contract').length > 0, await depthOf(ITEMS), await depthOf(RESULTS)]).toEqual([true, 1, 0]);
  });

  it('drops a reference of version 1 whose batch does not exist, and counts it', async () => {
    await foreign.put(ITEMS, referenceOf({ workload: 'echo', batch: newBatchId(Date.now()) }));

    expect(await round()).toMatchObject({ received: 1, done: 0, orphanedReferences: 1 });
    expect(await depthOf(ITEMS)).toBe(0);
  });

  it('creates one batch from a blob that two messages name while the inbox takes it, too', async () => {
    const file = 'echo/normal/twice.ndjson';
    await foreign.drop(file, ndjson(itemsOf(9)));
    for (let n = 1; n <= 2; n++) await foreign.put(ITEMS, { v: 2, workload: 'echo', producer: 'erp-1', blob: file });

    const collecting = withLog(sink, () => scanInbox({ ...use.world.deps, settings: use.world.settings }));
    const [counts, taken] = await Promise.all([round(), collecting]);
    expect(counts.received).toBe(2);
    expect(taken).toMatchObject({ rejected: 0, stuck: 0 });
    await drain();

    expect(await batchesOf(file)).toMatchObject([{ ...DONE, lane: 'normal' }]);
    expect(logged('poison-message')).toEqual([]);
  });

  it('rejects an invalid blob in the same way as an inbox scan, and completes the message', async () => {
    const file = 'echo/broken.ndjson';
    await foreign.drop(file, '{"id":');
    await foreign.put(ITEMS, { v: 2, workload: 'echo', producer: 'erp-1', blob: file });

    expect(await round()).toMatchObject({ received: 1, done: 1 });

    const reason = use.world.clients.container('inbox-rejected').getBlobClient(`${file}.reason.json`);
    expect((await reason.downloadToBuffer()).toString()).toContain('malformed-record');
    expect(use.world.topic.events.map(({ type }) => type as string)).toEqual(['InboxRejected']);
    expect([await batchesOf(file), await depthOf(ITEMS), await depthOf(POISON)]).toEqual([[], 0, 0]);
  });

  it('keeps a message whose blob does not exist yet, and takes the blob when it exists', async () => {
    const file = 'echo/late.ndjson';
    await foreign.put(ITEMS, { v: 2, workload: 'echo', producer: 'erp-1', blob: file });
    expect(await round()).toMatchObject({ received: 1, done: 0 });
    expect([logged('blob-deferred').length, await depthOf(ITEMS), await depthOf(POISON)]).toEqual([1, 1, 0]);

    await foreign.drop(file, ndjson(itemsOf(9)));
    await foreign.put(ITEMS, { v: 2, workload: 'echo', producer: 'erp-1', blob: file });
    await drain();
    expect(await batchesOf(file)).toMatchObject([DONE]);
  });
});
