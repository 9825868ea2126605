import type { BlobItem } from '@azure/storage-blob';
import { describe, expect, it } from 'vitest';
import { InboxWorld, NOTHING } from './inbox-world.ts';

const ndjson = '{"id":1}\n{"id":2}\n';
const LARGE = 33 * 1024 * 1024;

/** Files whose reading waits, with the function that ends the wait. */
function holding(world: InboxWorld, isHeld: (name: string) => boolean) {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const reading = { now: 0, most: 0, release, started: [] as string[] };
  const container = ((name) => {
    const client = world.deps.container(name);
    if (name !== 'inbox') return client;
    const getBlobClient = (path: string) => {
      const blob = client.getBlobClient(path);
      const download: typeof blob.download = async (...args) => {
        reading.started.push(path);
        reading.now += 1;
        reading.most = Math.max(reading.most, reading.now);
        if (isHeld(path)) await promise;
        reading.now -= 1;
        return blob.download(...args);
      };
      return Object.assign(Object.create(blob) as typeof blob, { download });
    };
    return Object.assign(Object.create(client) as typeof client, { getBlobClient });
  }) as InboxWorld['deps']['container'];
  return { reading, deps: { ...world.deps, container } };
}

const drop = (world: InboxWorld, names: readonly string[], bytes?: number): void => {
  for (const name of names) {
    world.blobs.put('inbox', name, ndjson);
    const blob = world.blobs.blobs.get(`inbox/${name}`);
    if (blob && bytes !== undefined) Object.assign(blob, { body: Buffer.alloc(bytes, '\n') });
  }
};

const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `plain/${prefix}-${n}.ndjson`);

describe('an inbox scan', () => {
  it('takes at most four small files at the same time', async () => {
    const world = new InboxWorld();
    drop(world, named('small', 9));
    const { deps, reading } = holding(world, () => true);
    const collecting = world.collect(deps);
    await expect.poll(() => reading.now).toBe(4);
    reading.release();
    expect(await collecting).toEqual({ ...NOTHING, accepted: 9 });
    expect(reading.most).toBe(4);
  });

  it('reads a .tsv file with tabs, unless its metadata specifies another delimiter', async () => {
    const world = new InboxWorld();
    world.blobs.put('inbox', 'plain/a.tsv', 'one,two\n1,2\n');
    world.blobs.put('inbox', 'plain/b.tsv', 'one,two\n1,2\n', { csv: 'delimiter=comma' });
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 2 });
    const records = (await world.batches()).map((batch) => world.recordsOf(batch));
    expect(records.toSorted()).toEqual(['{"one":"1","two":"2"}\n', '{"one,two":"1,2"}\n']);
  });

  it('rejects an append blob, because nothing shows when it is complete', async () => {
    const world = new InboxWorld();
    drop(world, ['plain/a.ndjson']);
    const container = ((name) => {
      const client = world.deps.container(name);
      const listBlobsFlat = async function* (): AsyncGenerator<BlobItem> {
        for await (const { properties, ...blob } of client.listBlobsFlat())
          yield { ...blob, properties: { ...properties, blobType: 'AppendBlob' } };
      };
      return Object.assign(Object.create(client) as typeof client, { listBlobsFlat });
    }) as InboxWorld['deps']['container'];

    expect(await world.collect({ ...world.deps, container })).toEqual({ ...NOTHING, rejected: 1 });
  });

  it('leaves a file that is replaced after it was listed, and takes the new version in the next scan', async () => {
    const world = new InboxWorld();
    drop(world, ['plain/a.ndjson']);
    const { deps, reading } = holding(world, () => true);
    const collecting = world.collect(deps);
    await expect.poll(() => reading.now).toBe(1);
    world.blobs.put('inbox', 'plain/a.ndjson', '{"id":3}\n');
    reading.release();

    expect(await collecting).toEqual({ ...NOTHING, deferred: 1 });
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    expect((await world.batches()).map((batch) => world.recordsOf(batch))).toEqual(['{"id":3}\n']);
  });

  it('takes all other files while one is stuck', async () => {
    const world = new InboxWorld();
    drop(world, named('small', 9));
    const { deps, reading } = holding(world, (name) => name.endsWith('-0.ndjson'));
    const collecting = world.collect(deps);
    await expect.poll(() => world.names('inbox/')).toEqual(['inbox/plain/small-0.ndjson']);
    reading.release();
    expect(await collecting).toEqual({ ...NOTHING, accepted: 9 });
  });

  it('takes small files beside large ones, and at most two large ones at the same time', async () => {
    const world = new InboxWorld();
    drop(world, named('large', 4), LARGE);
    drop(world, named('small', 6));
    const { deps, reading } = holding(world, (name) => name.includes('large'));
    const collecting = world.collect(deps);
    await expect.poll(() => world.names('inbox/plain/small')).toEqual([]);
    expect(reading.now).toBe(2);
    reading.release();
    // Line feeds only.
    expect(await collecting).toEqual({ ...NOTHING, accepted: 6, rejected: 4 });
  });

  it('takes all small files if there are more large files than it queues', async () => {
    const world = new InboxWorld();
    // Imports count as large. None of these contains an address, so they are rejected.
    for (const name of named('a', 1_010)) world.blobs.put('inbox', `${name}.url`, '');
    drop(world, named('small', 6));
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const collecting = world.collect({ ...world.deps, publishRejected: () => promise });
    await expect.poll(() => world.names('inbox/plain/small'), { timeout: 20_000 }).toEqual([]);
    release();
    expect(await collecting).toEqual({ ...NOTHING, accepted: 6, rejected: 1_002 });
    expect(await world.collect()).toEqual({ ...NOTHING, rejected: 8 });
  });

  it('starts no file after five minutes, and keeps the marks of files that it has not listed', async () => {
    const world = new InboxWorld();
    drop(world, named('small', 9));
    const { deps, reading } = holding(world, () => true);
    const collecting = world.collect(deps);
    await expect.poll(() => reading.now).toBe(4);
    world.wait(6 * 60_000);
    reading.release();
    expect(await collecting).toEqual({ ...NOTHING, accepted: 4 });
    expect(world.names('inbox/')).toHaveLength(5);
  });
});

describe('the metadata of a file', () => {
  const rowOf = async (world: InboxWorld) => {
    const [batch] = await world.batches();
    return world.batchTable.row(batch?.id ?? '', 'batch');
  };

  it('is stored with its batch: labels and file name', async () => {
    const world = new InboxWorld();
    const metadata = { Labels: 'month=2026-01,team=caf%C3%A9', filename: 'Stra%C3%9Fe.ndjson' };
    world.blobs.put('inbox', 'plain/a.ndjson', ndjson, metadata);
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    expect(await rowOf(world)).toMatchObject({
      fileName: 'Straße.ndjson',
      labels: JSON.stringify({ month: '2026-01', team: 'café' }),
    });
  });

  it("defaults to the file's own name", async () => {
    const world = new InboxWorld();
    world.blobs.put('inbox', 'plain/a.ndjson', ndjson);
    await world.collect();
    expect(await rowOf(world)).toMatchObject({ fileName: 'a.ndjson' });
  });

  it.each([
    [{ labels: 'Month=1' }],
    [{ filename: '%' }],
    [{ filename: '%0A' }],
    [{ filename: 'x'.repeat(256) }],
    [{ csv: 'delimiter=x' }],
  ])('causes a rejection if it is invalid: %j', async (metadata) => {
    const world = new InboxWorld();
    world.blobs.put('inbox', 'plain/a.ndjson', ndjson, metadata as Record<string, string>);
    expect(await world.collect()).toEqual({ ...NOTHING, rejected: 1 });
    const reason = world.blobs.blobs.get('inbox-rejected/plain/a.ndjson.reason.json')?.body.toString() ?? '';
    expect(JSON.parse(reason)).toMatchObject({ type: 'invalid-parameter' });
  });
});
