import { createHash } from 'node:crypto';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InboxResult } from '../../../../shared/intake/inbox/inbox.ts';
import type { InboxDeps } from '../../../../shared/intake/inbox/inbox-deps.ts';
import { type FileProgress, listTaking } from '../../../../shared/intake/store/file-progress.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry, type Registry } from '../../../../shared/workload/registry.ts';
import { serviceError } from '../../../helpers/data/factories.ts';
import { Crash, dyingAt } from '../../../helpers/fakes/crashes.ts';
import { InboxWorld, NOTHING, type StoredBatch } from './inbox-world.ts';

const ITEMS = 800;
// Hashes do not compress, so they fill blocks.
const lines = Array.from({ length: ITEMS }, (_, index) => `{"index":${index},"text":"${hashOf(index)}"}`);
const ndjson = `${lines.join('\n')}\n`;

function hashOf(index: number): string {
  return createHash('sha256').update(String(index)).digest('hex');
}

const csv = `index,text\n${lines.map((_, index) => `${index},${hashOf(index)}\n`).join('')}`;
/** Without a schema of the items, cells are text. */
const csvAsNdjson = lines.map((_, index) => `{"index":"${index}","text":"${hashOf(index)}"}\n`).join('');

/** Every `step`-th write is one at which the process crashes. */
const FORMATS: [name: string, content: string | Buffer, step: number, expected?: string][] = [
  ['plain/large.ndjson', ndjson, 1],
  ['plain/large.ndjson.gz', gzipSync(ndjson), 4],
  ['plain/large.json', `[${lines.join(',\n')}]`, 4],
  ['plain/large.csv', csv, 4, csvAsNdjson],
];

const worldWith = (name = 'plain/large.ndjson', content: string | Buffer = ndjson): InboxWorld => {
  const world = new InboxWorld();
  world.blobs.put('inbox', name, content);
  return world;
};

/** Checks that there is exactly one batch in the end, and that it is complete. */
async function expectOneBatch(world: InboxWorld, name = 'plain/large.ndjson', expected = ndjson): Promise<StoredBatch> {
  const batches = await world.batches();
  expect(batches).toHaveLength(1);
  const [batch] = batches as [StoredBatch];
  expect(batch.accepted).toBe(ITEMS);
  expect(world.recordsOf(batch)).toBe(expected);
  expect(world.names('inbox/')).toEqual([]);
  expect(world.names('inbox-done/')).toEqual([`inbox-done/${name}`]);
  return batch;
}

/** Returns the number of writes of an undisturbed inbox scan. */
async function countWrites(name?: string, content?: string | Buffer): Promise<number> {
  const world = worldWith(name, content);
  const process = { writes: 0, dead: false };
  await world.collect(dyingAt(world.deps, Number.POSITIVE_INFINITY, process));
  return process.writes;
}

const WRITES = await countWrites();
/** The write at which a checkpoint covers more than half of the file. */
const HALF = await findHalf();

async function findHalf(): Promise<number> {
  for (let at = 1; ; at++) {
    const world = worldWith();
    await world.collect(dyingAt(world.deps, at));
    const [taken] = await takingOf(world);
    if ((taken?.readItems ?? 0) > ITEMS / 2) return at;
  }
}

async function takingOf(world: InboxWorld): Promise<FileProgress[]> {
  const files: FileProgress[] = [];
  for await (const file of listTaking(world.deps)) files.push(file);
  return files;
}

describe('a large file', () => {
  it('becomes one batch, and its checkpoint is deleted', async () => {
    const world = worldWith();

    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });

    await expectOneBatch(world);
    expect(world.names('payloads/checkpoints/')).toEqual([]);
    expect(WRITES).toBeGreaterThan(25);
  });

  it.each(FORMATS)('%s becomes the same batch after a crash at any write', async (name, content, step, expected) => {
    const { digest } = await wholeBatch(name, content, expected);
    for (let at = 1; at <= WRITES; at += step) {
      const world = worldWith(name, content);
      await world.collect(dyingAt(world.deps, at));
      world.wait();
      // After the last write there is nothing left to do.
      expect(await world.collect()).toMatchObject({ rejected: 0, deferred: 0, stuck: 0 });
      expect((await expectOneBatch(world, name, expected)).digest).toBe(digest);
      // A crash after acceptance may leave the checkpoint to the sweep.
      expect(world.names('payloads/checkpoints/').length).toBeLessThanOrEqual(1);
    }
  });

  it('is listed as being taken, with the progress of its checkpoint', async () => {
    const world = worldWith();
    await world.collect(dyingAt(world.deps, HALF));
    const [taken] = await takingOf(world);
    const size = Buffer.byteLength(ndjson);
    expect(taken).toMatchObject({ name: 'plain/large.ndjson', readItems: expect.any(Number) });
    expect(taken?.readBytes).toBeGreaterThan(size / 2);
    expect(taken?.readBytes).toBeLessThan(size);
  });

  it('is read by range from the last segment (8 MiB) before its checkpoint', async () => {
    const size = 9_000 * 2_048;
    const record = JSON.stringify({ text: 'x'.repeat(2_048 - 12) });
    const world = worldWith('plain/large.ndjson', `${record}\n`.repeat(9_000));
    const intakeSizes = { checkpointBytes: 9 * 1024 * 1024, blockBytes: 4 * 1024 };
    const deps = hooked({ ...world.deps, intakeSizes }, async (_at, call, path) => {
      await call();
      if (path.includes('checkpoints/')) throw new Crash('after the checkpoint');
    });
    await world.collect(deps);
    const path = 'inbox/plain/large.ndjson';
    const before = world.blobs.downloaded.get(path) ?? 0;

    world.wait();
    await world.collect();

    expect((world.blobs.downloaded.get(path) ?? 0) - before).toBe(size - 8 * 1024 * 1024);
    expect(await world.batches()).toMatchObject([{ accepted: 9_000 }]);
  });

  it('is finished although every process crashes after a few writes', async () => {
    const world = worldWith();
    for (let run = 0; run < 20 && (await world.batches()).length === 0; run++) {
      await world.collect(dyingAt(world.deps, 12));
      world.wait();
    }
    await world.collect();
    await expectOneBatch(world);
    expect(WRITES).toBeGreaterThan(3 * 12);
  });
});

async function wholeBatch(name: string, content: string | Buffer, expected?: string): Promise<StoredBatch> {
  const world = worldWith(name, content);
  await world.collect();
  return expectOneBatch(world, name, expected);
}

const BLOB_WRITES = new Set(['upload', 'stageBlock', 'commitBlockList', 'deleteIfExists']);

/** Calls `around` for each write of a blob, with the number of the write, the call, and the blob's address. */
function hooked(
  deps: InboxDeps,
  around: (at: number, call: () => Promise<unknown>, path: string) => Promise<unknown>,
): InboxDeps {
  let writes = 0;
  const wrap = (client: object): object =>
    new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        const call = value as (...args: unknown[]) => unknown;
        if (name === 'getBlockBlobClient' || name === 'getBlobClient')
          return (...args: unknown[]) => wrap(call(...args) as object);
        if (!BLOB_WRITES.has(String(name))) return call;
        return (...args: unknown[]) => {
          writes += 1;
          return around(writes, () => call(...args) as Promise<unknown>, String(Reflect.get(target, 'url')));
        };
      },
    });
  const container = ((name) => wrap(deps.container(name))) as InboxDeps['container'];
  return { ...deps, container };
}

const blobWrites = async (): Promise<number> => {
  const world = worldWith();
  let most = 0;
  await world.collect(
    hooked(world.deps, (at, call) => {
      most = at;
      return call();
    }),
  );
  return most;
};

const BLOB_CALLS = await blobWrites();

describe('two processes that take one file', () => {
  /** The second one divides the payload into other blocks, as another release might. */
  const second = (world: InboxWorld): InboxDeps => ({
    ...world.deps,
    intakeSizes: { checkpointBytes: 10 * 1024, blockBytes: 1_000 },
  });

  /** The first one freezes before its blob write `at`, until `meanwhile` is over. */
  async function freeze(world: InboxWorld, at: number, meanwhile: () => Promise<unknown>): Promise<InboxResult> {
    const deps = hooked(world.deps, async (write, call) => {
      if (write === at) {
        world.wait();
        await meanwhile();
      }
      return call();
    });
    return world.collect(deps);
  }

  it('the one that finds a newer checkpoint stops, and keeps the claim of the other', async () => {
    const world = worldWith();
    expect(await freeze(world, 6, () => world.collect(dyingAt(second(world), HALF)))).toEqual({
      ...NOTHING,
      deferred: 1,
    });
    // The claim of the second one is not released: a third one waits until it expires.
    expect(await world.collect()).toEqual({ ...NOTHING, deferred: 1 });
    world.wait();
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    await expectOneBatch(world);
  });

  it('create one complete batch, wherever the first freezes while the second takes over', async () => {
    for (let at = 1; at <= BLOB_CALLS; at++) {
      const world = worldWith();
      await freeze(world, at, () => world.collect(second(world)));
      world.wait();
      await world.collect();
      await expectOneBatch(world);
    }
  });

  it('create one complete batch if the second crashes, the first continues, and a third starts', async () => {
    for (let at = 4; at <= BLOB_CALLS; at += 1) {
      for (let death = 3; death <= WRITES; death += 7) {
        const world = worldWith();
        await freeze(world, at, () => world.collect(dyingAt(second(world), death)));
        world.wait();
        await world.collect();
        await expectOneBatch(world);
      }
    }
  });
});

describe('a lost response', () => {
  it('has no effect, whichever write is repeated', async () => {
    for (let lost = 1; lost <= BLOB_CALLS; lost++) {
      const world = worldWith();
      const repeated = hooked(world.deps, async (at, call) => {
        if (at === lost) await call();
        return call();
      });
      expect(await world.collect(repeated)).toEqual({ ...NOTHING, accepted: 1 });
      await expectOneBatch(world);
    }
  });
});

describe('a checkpoint', () => {
  const half = async (): Promise<InboxWorld> => {
    const world = worldWith();
    await world.collect(dyingAt(world.deps, HALF));
    world.wait();
    expect(world.names('payloads/checkpoints/')).toHaveLength(1);
    return world;
  };

  it('whose blocks no longer exist is deleted, and the next scan starts from the beginning', async () => {
    const world = await half();
    world.blobs.dropStaged();
    expect(await world.collect()).toEqual({ ...NOTHING, deferred: 1 });
    expect(world.names('payloads/checkpoints/')).toEqual([]);
    world.wait();
    await world.collect();
    await expectOneBatch(world);
  });

  it('that is half a day old is ignored', async () => {
    const world = await half();
    world.blobs.dropStaged();
    world.wait(13 * 3_600_000);
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    await expectOneBatch(world);
  });

  it('whose payload was committed half a day ago is ignored, because the sweep may delete the payload', async () => {
    const world = await half();
    const state = world.blobs.blobs.get(world.names('payloads/checkpoints/')[0] ?? '')?.body ?? Buffer.alloc(0);
    const { payload } = JSON.parse(zstdDecompressSync(state).toString()) as { payload: string };
    const lastModified = new Date(world.nowMs - 13 * 3_600_000);
    world.blobs.blobs.set(`payloads/${payload}`, { body: Buffer.from(''), metadata: {}, lastModified });
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    expect((await expectOneBatch(world)).payload).not.toBe(payload);
  });

  it('that cannot be decoded is ignored', async () => {
    const world = await half();
    const [name = ''] = world.names('payloads/checkpoints/');
    const stored = world.blobs.blobs.get(name);
    if (stored) stored.body = Buffer.alloc(stored.body.length, 'x');
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    await expectOneBatch(world);
  });

  it('of another version of the file is ignored', async () => {
    const world = worldWith();
    world.blobs.put('inbox', 'plain/large.ndjson', ndjson, { idempotencykey: 'one' });
    await world.collect(dyingAt(world.deps, HALF));
    world.blobs.put('inbox', 'plain/large.ndjson', lines.slice(0, 700).join('\n'), { idempotencykey: 'one' });
    world.wait();
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    expect((await world.batches()).map(({ accepted }) => accepted)).toEqual([700]);
  });

  it('is deleted with a file that is rejected', async () => {
    const world = worldWith('plain/large.ndjson', `${ndjson}{"broken`);
    expect(await world.collect()).toEqual({ ...NOTHING, rejected: 1 });
    expect(world.names('payloads/')).toEqual([]);
  });
});

/** Creates a workload that accepts no file with this item; calls `seen` with each item. */
function refusing(refused: number, seen: (index: number) => void = () => {}): Registry {
  const validate = (value: unknown) => {
    const { index } = value as { index: number };
    seen(index);
    return index === refused ? { issues: [{ message: 'Not this one' }] } : { value };
  };
  const item = { '~standard': { version: 1, vendor: 'test', validate } } as const;
  const chunk = { maxItems: 50 };
  return createRegistry([
    defineWorkload({ name: 'plain', version: 1, item, map: () => 0, chunk, validateAtIntake: true }),
  ]);
}

describe('a file that is validated before it is accepted', () => {
  it('is rejected for its invalid item after a crash at any write', async () => {
    let resumed = 0;
    for (let at = 1; at <= WRITES; at++) {
      const world = worldWith();
      const deps = { ...world.deps, registry: refusing(ITEMS - 100) };
      await world.collect(dyingAt(deps, at));
      resumed += (await takingOf(world)).length;
      world.wait();
      await world.collect(deps);
      expect(await world.batches()).toEqual([]);
      expect(world.names('inbox-rejected/')).toHaveLength(2);
    }
    expect(resumed).toBeGreaterThan(0);
  });
});

describe('the time limit', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('rejects a file with an invalid item, because the next scan would get no further', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const world = worldWith();
    const registry = refusing(60, (index) => {
      if (index === ITEMS / 2) vi.advanceTimersByTime(8 * 60_000);
    });

    expect(await world.collect({ ...world.deps, registry })).toEqual({ ...NOTHING, rejected: 1 });

    const reason = world.blobs.blobs.get('inbox-rejected/plain/large.ndjson.reason.json')?.body.toString() ?? '';
    expect(JSON.parse(reason)).toMatchObject({
      type: 'invalid-items',
      detail: expect.stringMatching(/^1 item does not fit .* The rest was not read\. Nothing was accepted\.$/),
      errors: [{ line: 61, message: 'Not this one' }],
    });
    expect(world.names('payloads/')).toEqual([]);
  });

  it('ends the reading with a checkpoint, and the next scan continues', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const world = worldWith();
    const stopped = hooked(world.deps, (at, call) => {
      if (at === 8) vi.advanceTimersByTime(8 * 60_000);
      return call();
    });
    expect(await world.collect(stopped)).toEqual({ ...NOTHING, unfinished: 1 });
    const [taken] = await takingOf(world);
    expect(taken?.readItems).toBeGreaterThan(50);

    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    await expectOneBatch(world);
  });

  it('ends the reading also if the last checkpoint cannot be saved', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    const world = worldWith();
    let failures = 0;
    const intakeSizes = { checkpointBytes: 64 * 1024, blockBytes: 4 * 1024 };
    const stopped = hooked({ ...world.deps, intakeSizes }, (at, call, path) => {
      if (at === 4) vi.advanceTimersByTime(8 * 60_000);
      if (!path.includes('checkpoints/')) return call();
      failures += 1;
      throw serviceError(503);
    });

    expect(await world.collect(stopped)).toEqual({ ...NOTHING, unfinished: 1 });

    expect(failures).toBe(1);
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
    await expectOneBatch(world);
  });
});
