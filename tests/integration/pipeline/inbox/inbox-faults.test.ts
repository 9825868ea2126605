import { BlobLeaseClient, type BlockBlobClient, type ContainerClient } from '@azure/storage-blob';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deleteBatch } from '../../../../shared/commands/delete.ts';
import { type InboxResult, scanInbox } from '../../../../shared/intake/inbox/inbox.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { inventory, itemsOf, ndjson, startWorld, type World } from '../../in-process/world.ts';

const DAY = 24 * 60 * 60_000;
const NOTHING: InboxResult = { accepted: 0, rejected: 0, deferred: 0, unfinished: 0, stuck: 0 };

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.stop());
afterEach(async () => {
  for (const name of ['inbox', 'inbox-done', 'inbox-rejected']) {
    const container = world.clients.container(name);
    for await (const blob of container.listBlobsFlat()) {
      await container.deleteBlob(blob.name, { deleteSnapshots: 'include' });
    }
  }
  await collect();
});

const collect = (deps = world.deps): Promise<InboxResult> => scanInbox({ ...deps, settings: world.settings });
const inbox = (): ContainerClient => world.clients.container('inbox');
const exists = (container: string, name: string) => world.clients.container(container).getBlobClient(name).exists();

async function drop(name: string, content = ndjson(itemsOf(3)), metadata = {}): Promise<BlockBlobClient> {
  const blob = inbox().getBlockBlobClient(name);
  await blob.upload(content, content.length, { metadata });
  return blob;
}

const batches = async (): Promise<string[]> => {
  await world.drainAll();
  const rows = (await inventory(world.clients)).map((line) => /^batches ([0-9a-f-]{36}) batch$/.exec(line)?.[1]);
  return rows.filter((id) => id !== undefined);
};

/** Reasons why a file cannot be taken, or cannot be moved afterwards. */
const STUCK: [what: string, hold: (blob: BlockBlobClient) => Promise<unknown>][] = [
  ['has a snapshot', (blob) => blob.createSnapshot()],
  ['is leased', (blob) => new BlobLeaseClient(blob).acquireLease(-1)],
  ['is archived', (blob) => blob.setAccessTier('Archive')],
];

describe.each(STUCK)('a file that %s', (what, hold) => {
  afterEach(async () => {
    if (what === 'is leased') await new BlobLeaseClient(inbox().getBlobClient('echo/1.ndjson')).breakLease(0);
  });

  it.each([
    ['good', ndjson(itemsOf(3))],
    ['bad', '{"id":'],
  ])('does not prevent the next files from being taken: a %s one', async (_kind, content) => {
    const before = (await batches()).length;
    await hold(await drop('echo/1.ndjson', content));
    await drop('echo/2.ndjson');

    expect(await collect()).toEqual({ ...NOTHING, accepted: 1, stuck: 1 });

    expect(await exists('inbox-done', 'echo/2.ndjson')).toBe(true);
    expect(await exists('inbox', 'echo/1.ndjson')).toBe(true);
    const own = content.endsWith('\n') && what !== 'is archived' ? 1 : 0;
    expect((await batches()).length - before).toBe(1 + own);
  });
});

describe('a file that was taken and cannot be deleted', () => {
  it.each([
    ['its own key', {}],
    ["a client's key", { IdempotencyKey: 'order 7' }],
  ])('becomes no other batch, even if its batch is deleted: with %s', async (_what, metadata) => {
    const before = await batches();
    const blob = await drop('echo/kept.ndjson', undefined, metadata);
    await blob.createSnapshot();

    expect(await collect()).toEqual({ ...NOTHING, stuck: 1 });
    const [id = ''] = (await batches()).filter((each) => !before.includes(each));
    world.wait(8 * DAY);
    expect(await collect()).toEqual({ ...NOTHING, stuck: 1 });
    expect(await batches()).toEqual([...before, id].sort());

    await deleteBatch(world.deps, id);
    world.wait(8 * DAY);
    expect(await collect()).toEqual({ ...NOTHING, stuck: 1 });
    expect(await batches()).toEqual(before);
    expect(await exists('inbox-done', 'echo/kept.ndjson')).toBe(false);

    await blob.delete({ deleteSnapshots: 'only' });
    expect(await collect()).toEqual({ ...NOTHING, accepted: 1 });
    expect(await exists('inbox', 'echo/kept.ndjson')).toBe(false);
  });

  it('is moved as soon as possible, and leaves no mark', async () => {
    const blob = await drop('echo/later.ndjson');
    await blob.createSnapshot();
    await collect();
    const marks = async () => (await inventory(world.clients)).filter((line) => line.startsWith('keys inbox '));
    expect(await marks()).toHaveLength(1);

    await blob.delete({ deleteSnapshots: 'only' });
    expect(await collect()).toEqual({ ...NOTHING, accepted: 1 });

    expect(await exists('inbox-done', 'echo/later.ndjson')).toBe(true);
    await drop('echo/another.ndjson');
    await collect();
    expect(await marks()).toEqual([]);
  });

  it('becomes another batch if it is replaced', async () => {
    const before = (await batches()).length;
    await (await drop('echo/new.ndjson')).createSnapshot();
    await collect();
    await drop('echo/new.ndjson', ndjson(itemsOf(4)));
    await collect();

    expect((await batches()).length - before).toBe(2);
  });
});

describe('the key of a file', () => {
  it('is stored as long as its batch, so that a move missing after a crash causes no second one', async () => {
    const before = (await batches()).length;
    await drop('echo/crash.ndjson');
    await expect(collect(dyingBeforeMove())).resolves.toEqual({ ...NOTHING, stuck: 1 });
    expect((await batches()).length - before).toBe(1);

    world.wait(8 * DAY);
    expect(await collect()).toEqual({ ...NOTHING, accepted: 1 });
    expect((await batches()).length - before).toBe(1);
  });

  it.each(['x'.repeat(256), ' '])('is refused if it is invalid: %j', async (key) => {
    await drop('echo/key.ndjson', undefined, { idempotencykey: key });
    expect(await collect()).toEqual({ ...NOTHING, rejected: 1 });
  });
});

describe('content that an earlier batch had', () => {
  const repeats = async (): Promise<unknown[]> => {
    const lines: Record<string, unknown>[] = [];
    const hear = (line: string): void => void lines.push(JSON.parse(line));
    await withLog({ debug: hear, info: hear, warn: hear, error: hear }, async () => void (await collect()));
    return lines.filter(({ event }) => event === 'inbox-repeated');
  };
  const content = ndjson(itemsOf(7));

  it('is accepted under another name, and reported with the batch that had it first', async () => {
    const before = await batches();
    await drop('echo/first.ndjson', content);
    expect(await repeats()).toEqual([]);
    const [first] = (await batches()).filter((id) => !before.includes(id));

    await drop('echo/second.ndjson', content);

    expect(await repeats()).toMatchObject([{ file: 'echo/second.ndjson', sameContentAs: first }]);
    expect((await batches()).length - before.length).toBe(2);
  });

  it('is not reported for a file that is taken again after a crash, nor after a week', async () => {
    const other = ndjson(itemsOf(8));
    await drop('echo/crash-again.ndjson', other);
    await collect(dyingBeforeMove());
    expect(await repeats()).toEqual([]);

    world.wait(8 * DAY);
    await drop('echo/later.ndjson', other);
    expect(await repeats()).toEqual([]);
  });
});

it('moves a rejected file whose name is too long for the suffix, with the reason under a shorter name', async () => {
  const name = `echo/${'x'.repeat(1_012)}.ndjson`;
  await drop(name, 'no json');
  await drop('echo/z.ndjson');

  expect(await collect()).toEqual({ ...NOTHING, accepted: 1, rejected: 1 });

  expect(await exists('inbox-rejected', name)).toBe(true);
  const rejected: string[] = [];
  for await (const blob of world.clients.container('inbox-rejected').listBlobsFlat()) rejected.push(blob.name);
  expect(rejected.filter((each) => each.endsWith('.reason.json'))).toHaveLength(1);
});

it('leaves a file whose name the client would resolve to another blob, and touches no other blob', async () => {
  await drop('echo/z.ndjson');
  const container = (name: string): ContainerClient => {
    const client = world.clients.container(name);
    if (name !== 'inbox') return client;
    return Object.assign(Object.create(client) as ContainerClient, {
      async *listBlobsFlat() {
        for await (const blob of client.listBlobsFlat()) yield { ...blob, name: 'echo/../../payloads/x.ndjson' };
        yield* client.listBlobsFlat();
      },
    });
  };

  expect(await collect({ ...world.deps, container })).toEqual({ ...NOTHING, accepted: 1, stuck: 1 });
});

/** Simulates a crash between acceptance and move: neither copy nor mark is written. */
function dyingBeforeMove(): World['deps'] {
  const { clients } = world;
  const upsertEntity = () => Promise.reject(new Error('dead'));
  return {
    ...world.deps,
    keys: Object.assign(Object.create(clients.keys), { upsertEntity }),
    container: (name) => {
      if (name === 'inbox-done') throw new Error('dead');
      return clients.container(name);
    },
  };
}
