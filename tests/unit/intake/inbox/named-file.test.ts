import { describe, expect, it } from 'vitest';
import { CONTAINERS } from '../../../../shared/contract/names.ts';
import { type NamedFile, type NamedFileEnd, takeNamedFile } from '../../../../shared/intake/inbox/named-file.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { dyingAt } from '../../../helpers/fakes/crashes.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';
import { InboxWorld, NOTHING } from './inbox-world.ts';

const NAME = 'plain/a.ndjson';
const NDJSON = '{"id":1}\n{"id":2}\n';

function worldWith(content = NDJSON, { maxBodyBytes = 1_000 } = {}): InboxWorld {
  const world = new InboxWorld();
  world.blobs.put('inbox', NAME, content);
  Object.assign(world.deps.settings, { maxBodyBytes });
  return world;
}

const take = (world: InboxWorld, file: Partial<NamedFile> = {}, deps = world.deps): Promise<NamedFileEnd> =>
  withLog(SILENT_LOG, () =>
    takeNamedFile(deps, {
      isAlone: false,
      ...{ name: NAME, producer: 'erp', namedAt: new Date(world.nowMs), signal: new AbortController().signal },
      ...file,
    }),
  );

const etagOf = async (world: InboxWorld, name = NAME): Promise<string> =>
  (await world.deps.container(CONTAINERS.inbox).getBlobClient(name).getProperties()).etag ?? '';

describe('a file that a message refers to', () => {
  it('becomes a batch with the producer of the message, and is moved', async () => {
    const world = worldWith();

    expect(await take(world, { etag: await etagOf(world) })).toEqual({ end: 'accepted' });

    const [batch] = await world.batches();
    expect(world.batchTable.row(batch?.id ?? '', 'batch')).toMatchObject({
      ...{ producer: 'erp', sourceKind: 'inbox', sourceName: NAME },
    });
    expect(batch && world.recordsOf(batch)).toBe(NDJSON);
    expect(world.names('inbox')).toEqual([`inbox-done/${NAME}`]);
  });

  it('becomes one batch after a crash at any write, whether the message or an inbox scan comes next', async () => {
    const process = { writes: 0, dead: false };
    const whole = worldWith();
    await take(whole, {}, dyingAt(whole.deps, Number.POSITIVE_INFINITY, process));
    expect(process.writes).toBeGreaterThan(8);

    for (let at = 1; at <= process.writes; at++) {
      for (const next of ['message', 'check']) {
        const world = worldWith();
        const etag = await etagOf(world);
        await take(world, { etag }, dyingAt(world.deps, at)).catch(() => undefined);
        world.wait();
        if (next === 'check') expect(await world.collect()).toMatchObject({ rejected: 0, deferred: 0, stuck: 0 });
        expect((await take(world, { etag })).end).toMatch(/accepted|taken/);
        expect(await world.batches()).toHaveLength(1);
        expect(world.names('inbox')).toEqual([`inbox-done/${NAME}`]);
      }
    }
  });

  it('is taken by the next attempt if the time ends before its reading starts', async () => {
    const world = worldWith();
    const signal = AbortSignal.abort(new DOMException('The time is up.', 'TimeoutError'));

    expect(await take(world, { signal })).toEqual({ end: 'unfinished' });

    world.wait();
    expect(await take(world)).toEqual({ end: 'accepted' });
  });

  it('becomes one batch if an inbox scan takes it at the same time', async () => {
    const world = worldWith();
    const etag = await etagOf(world);

    const ends = await Promise.all([take(world, { etag }), world.collect(), take(world, { etag })]);
    expect(ends[1]).toMatchObject({ rejected: 0, stuck: 0 });
    expect([ends[0].end, ends[2].end].filter((end) => end === 'stuck' || end === 'rejected')).toEqual([]);

    // A caller whose file another one is taking tries again.
    expect((await take(world, { etag })).end).toMatch(/accepted|taken/);
    expect(await world.batches()).toHaveLength(1);
    expect(world.names('inbox')).toEqual([`inbox-done/${NAME}`]);
  });

  it.each<[string, string, string, RegExp]>([
    ['is too large for an upload', NAME, `{"id":"${'x'.repeat(1_000)}"}\n`, /"type":"too-large"/],
    ['is malformed', NAME, '{"id":', /"type":"malformed-record"/],
    ['specifies an unknown lane', 'plain/express/a.ndjson', NDJSON, /"type":"invalid-parameter"/],
    ['has no format in its name', 'plain/a.txt', NDJSON, /"type":"unsupported-media-type"/],
  ])('that %s is rejected in the same way as by an inbox scan', async (_what, name, content, reason) => {
    const world = worldWith();
    const published: string[] = [];
    world.deps.publishRejected = async (file) => void published.push(file.name);
    world.blobs.blobs.clear();
    world.blobs.put('inbox', name, content);

    expect(await take(world, { name })).toEqual({ end: 'rejected' });

    expect(world.names('inbox')).toEqual([`inbox-rejected/${name}`, `inbox-rejected/${name}.reason.json`]);
    const text = world.blobs.blobs.get(`inbox-rejected/${name}.reason.json`)?.body.toString() ?? '';
    expect(JSON.stringify(JSON.parse(text))).toMatch(reason);
    expect(published).toEqual([name]);
    expect(await world.batches()).toEqual([]);
    expect(await take(world, { name })).toEqual({ end: 'taken' });
  });

  it('is not read if it is too large, but an inbox scan may accept it', async () => {
    const world = worldWith(NDJSON, { maxBodyBytes: NDJSON.length - 1 });
    expect(await take(world)).toEqual({ end: 'rejected' });
    expect(world.blobs.downloaded.get(`inbox/${NAME}`)).toBeUndefined();

    world.blobs.put('inbox', NAME, NDJSON);
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
  });

  it('is absent if the inbox has another version than the message specifies', async () => {
    const world = worldWith();

    expect(await take(world, { etag: '"0x77"' })).toEqual({ end: 'absent' });
    expect(world.names('inbox')).toEqual([`inbox/${NAME}`]);

    const quoted = await etagOf(world);
    expect(await take(world, { etag: quoted.replaceAll('"', '') })).toEqual({ end: 'accepted' });
    expect(await take(world, { etag: quoted })).toEqual({ end: 'taken' });
  });

  it('counts as taken, without a version, if a file was moved after the message or shortly before', async () => {
    const world = worldWith();
    await world.collect();

    expect(await take(world)).toEqual({ end: 'taken' });
    world.wait(9 * 60_000);
    expect(await take(world)).toEqual({ end: 'taken' });
    // Yesterday's file is not the one that this message refers to.
    world.wait(24 * 3_600_000);
    expect(await take(world)).toEqual({ end: 'absent' });
  });

  it('continues from its checkpoint after a crash', async () => {
    const lines = Array.from({ length: 800 }, (_, id) => `{"id":${id},"text":"${Math.sin(id)}"}\n`).join('');
    const world = worldWith(lines, { maxBodyBytes: 1e6 });
    const ending = new AbortController();
    const container = ((name) => {
      const client = world.deps.container(name);
      const getBlockBlobClient = (path: string) => {
        const blob = client.getBlockBlobClient(path);
        const stageBlock: typeof blob.stageBlock = (...args) => {
          ending.abort();
          return blob.stageBlock(...args);
        };
        return Object.assign(Object.create(blob) as typeof blob, { stageBlock });
      };
      return Object.assign(Object.create(client) as typeof client, { getBlockBlobClient });
    }) as InboxWorld['deps']['container'];
    const deps = { ...world.deps, container };

    expect(await take(world, { signal: ending.signal }, deps)).toEqual({ end: 'unfinished' });
    expect(world.names('payloads/checkpoints/')).toHaveLength(1);
    const read = world.blobs.downloaded.get(`inbox/${NAME}`) ?? 0;
    expect(await take(world)).toEqual({ end: 'accepted' });

    const [batch] = await world.batches();
    expect(batch && world.recordsOf(batch)).toBe(lines);
    expect(read).toBeLessThan(lines.length);
  });
});
