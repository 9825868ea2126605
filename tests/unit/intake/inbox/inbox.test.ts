import { describe, expect, it } from 'vitest';
import { submit } from '../../../../shared/intake/submit.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { dyingAt } from '../../../helpers/fakes/crashes.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';
import { InboxWorld, NOTHING, registry } from './inbox-world.ts';

const ndjson = '{"id":1}\n{"id":2}\n';
const LARGE = 33 * 1024 * 1024;

/** Files whose reading waits: by name, what ends the wait. */
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

describe('a look into the inbox', () => {
  it('takes four small files side by side, and no more', async () => {
    const world = new InboxWorld();
    drop(world, named('small', 9));
    const { deps, reading } = holding(world, () => true);
    const look = world.look(deps);
    await expect.poll(() => reading.now).toBe(4);
    reading.release();
    expect(await look).toEqual({ ...NOTHING, accepted: 9 });
    expect(reading.most).toBe(4);
  });

  it('reads a .tsv file with tabs, unless its metadata names another delimiter', async () => {
    const world = new InboxWorld();
    world.blobs.put('inbox', 'plain/a.tsv', 'one,two\n1,2\n');
    world.blobs.put('inbox', 'plain/b.tsv', 'one,two\n1,2\n', { csv: 'delimiter=comma' });
    expect(await world.look()).toEqual({ ...NOTHING, accepted: 2 });
    const records = (await world.batches()).map((batch) => world.recordsOf(batch));
    expect(records.toSorted()).toEqual(['{"one":"1","two":"2"}\n', '{"one,two":"1,2"}\n']);
  });

  it('takes all others while one is stuck', async () => {
    const world = new InboxWorld();
    drop(world, named('small', 9));
    const { deps, reading } = holding(world, (name) => name.endsWith('-0.ndjson'));
    const look = world.look(deps);
    await expect.poll(() => world.names('inbox/')).toEqual(['inbox/plain/small-0.ndjson']);
    reading.release();
    expect(await look).toEqual({ ...NOTHING, accepted: 9 });
  });

  it('takes small files beside large ones, of which it takes two at a time', async () => {
    const world = new InboxWorld();
    drop(world, named('large', 4), LARGE);
    drop(world, named('small', 6));
    const { deps, reading } = holding(world, (name) => name.includes('large'));
    const look = world.look(deps);
    await expect.poll(() => world.names('inbox/plain/small')).toEqual([]);
    expect(reading.now).toBe(2);
    reading.release();
    // Line feeds only.
    expect(await look).toEqual({ ...NOTHING, accepted: 6, rejected: 4 });
  });

  it('takes small files, and the large ones that it keeps, where there are more large ones than that', async () => {
    const world = new InboxWorld();
    // Imports count as large. None of these holds an address, so they are rejected.
    for (const name of named('a', 1_010)) world.blobs.put('inbox', `${name}.url`, '');
    drop(world, named('small', 6));
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const look = world.look({ ...world.deps, publishRejected: () => promise });
    await expect.poll(() => world.names('inbox/plain/small'), { timeout: 20_000 }).toEqual([]);
    release();
    expect(await look).toEqual({ ...NOTHING, accepted: 6, rejected: 1_002 });
    expect(await world.look()).toEqual({ ...NOTHING, rejected: 8 });
  });

  it('begins no file after five minutes, and leaves the marks of files that it has not listed', async () => {
    const world = new InboxWorld();
    drop(world, named('small', 9));
    const { deps, reading } = holding(world, () => true);
    const look = world.look(deps);
    await expect.poll(() => reading.now).toBe(4);
    world.wait(6 * 60_000);
    reading.release();
    expect(await look).toEqual({ ...NOTHING, accepted: 4 });
    expect(world.names('inbox/')).toHaveLength(5);
  });
});

describe('what a file says of itself', () => {
  const rowOf = async (world: InboxWorld) => {
    const [batch] = await world.batches();
    return world.batchTable.row(batch?.id ?? '', 'batch');
  };

  it('is kept with its batch: labels and the name of the file', async () => {
    const world = new InboxWorld();
    const metadata = { Labels: 'month=2026-01,team=caf%C3%A9', filename: 'Stra%C3%9Fe.ndjson' };
    world.blobs.put('inbox', 'plain/a.ndjson', ndjson, metadata);
    expect(await world.look()).toEqual({ ...NOTHING, accepted: 1 });
    expect(await rowOf(world)).toMatchObject({
      fileName: 'Straße.ndjson',
      labels: JSON.stringify({ month: '2026-01', team: 'café' }),
    });
  });

  it('is its own name where it says nothing', async () => {
    const world = new InboxWorld();
    world.blobs.put('inbox', 'plain/a.ndjson', ndjson);
    await world.look();
    expect(await rowOf(world)).toMatchObject({ fileName: 'a.ndjson' });
  });

  it.each([
    [{ labels: 'Month=1' }],
    [{ filename: '%' }],
    [{ filename: '%0A' }],
    [{ filename: 'x'.repeat(256) }],
    [{ csv: 'delimiter=x' }],
  ])('is a reason to reject it where it is malformed: %j', async (metadata) => {
    const world = new InboxWorld();
    world.blobs.put('inbox', 'plain/a.ndjson', ndjson, metadata as Record<string, string>);
    expect(await world.look()).toEqual({ ...NOTHING, rejected: 1 });
    const reason = world.blobs.blobs.get('inbox-rejected/plain/a.ndjson.reason.json')?.body.toString() ?? '';
    expect(JSON.parse(reason)).toMatchObject({ type: 'invalid-parameter' });
  });
});

describe('content that a workload takes once only', () => {
  const reasonOf = (world: InboxWorld, name: string): { type?: string; detail?: string } =>
    JSON.parse(world.blobs.blobs.get(`inbox-rejected/${name}.reason.json`)?.body.toString() ?? '{}');

  it('is rejected under another name for seven days, with the batch that has it', async () => {
    const world = new InboxWorld();
    drop(world, ['strict/first.ndjson']);
    await world.look();
    const [first] = await world.batches();

    drop(world, ['strict/second.ndjson']);
    expect(await world.look()).toEqual({ ...NOTHING, rejected: 1 });

    const { type, detail } = reasonOf(world, 'strict/second.ndjson');
    expect(type).toBe('repeated-content');
    expect(detail).toContain(first?.id);
    expect(world.names('payloads/')).toHaveLength(1);
    world.wait(8 * 86_400_000);
    drop(world, ['strict/third.ndjson']);
    expect(await world.look()).toEqual({ ...NOTHING, accepted: 1 });
  });

  it('is one batch of two files that are taken at the same time', async () => {
    const world = new InboxWorld();
    drop(world, ['strict/a.ndjson', 'strict/b.ndjson']);
    for (let looks = 0; looks < 3; looks++) await world.look();
    expect(await world.batches()).toHaveLength(1);
    expect([...world.names('inbox-done/'), ...world.names('inbox-rejected/')]).toHaveLength(3);
  });

  it('is rejected where the batch came over HTTP, which itself is never refused', async () => {
    const world = new InboxWorld();
    const workload = registry.workload('strict');
    if (!workload) throw new Error('There is no such workload.');
    const upload = (): ReturnType<typeof submit> =>
      withLog(SILENT_LOG, () =>
        submit(world.deps, {
          ...{
            workload,
            format: 'ndjson',
            encoding: 'identity',
            limits: { ...world.deps.settings, maxBodyBytes: 1e6 },
          },
          source: { kind: 'http', name: 'test' },
          body: (async function* () {
            yield Buffer.from(ndjson);
          })(),
        }),
      );
    await upload();
    await upload();
    drop(world, ['strict/a.ndjson']);
    expect(await world.look()).toEqual({ ...NOTHING, rejected: 1 });
    expect(await world.batches()).toHaveLength(2);
  });

  it('is one batch whichever write a process dies at, and whichever of two files comes next', async () => {
    for (let at = 1; at <= 16; at++) {
      const world = new InboxWorld();
      drop(world, ['strict/b.ndjson']);
      await world.look(dyingAt(world.deps, at));
      drop(world, ['strict/a.ndjson']);
      for (let looks = 0; looks < 4; looks++) {
        world.wait(6 * 60_000);
        await world.look();
      }
      expect(await world.batches()).toHaveLength(1);
      expect(world.names('inbox/')).toEqual([]);
    }
  });
});
