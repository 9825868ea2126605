import { beforeEach, describe, expect, it } from 'vitest';
import type { InboxResult } from '../../../../shared/intake/inbox/inbox.ts';
import type { InboxDeps } from '../../../../shared/intake/inbox/inbox-deps.ts';
import { defineWorkload } from '../../../../shared/workload/define.ts';
import { createRegistry } from '../../../../shared/workload/registry.ts';
import { serviceError } from '../../../helpers/data/factories.ts';
import { InboxWorld, NOTHING } from './inbox-world.ts';

const MINUTE = 60_000;
const item = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const;
const workload = (name: string, pool: string) =>
  defineWorkload({ name, version: 1, item, map: (value: unknown) => value, pool });

const first = workload('first', 'one');
const second = workload('second', 'two');
const added = workload('added', 'two');
const OLD = createRegistry([first, second]);
const NEW = createRegistry([first, second, added]);

/** Returns containers in which copies fail for now: a taken file stays in the inbox, and gets a mark. */
const withoutCopies =
  (world: InboxWorld): InboxDeps['container'] =>
  (name) => {
    const client = world.deps.container(name);
    const getBlobClient = (path: string) =>
      Object.assign(Object.create(client.getBlobClient(path)), {
        beginCopyFromURL: () => Promise.reject(serviceError(503)),
      });
    return Object.assign(Object.create(client) as typeof client, { getBlobClient });
  };

/** Returns the names of the files that have a mark. */
async function marked({ keys }: InboxWorld): Promise<unknown[]> {
  const names: unknown[] = [];
  for await (const { name } of keys.table.listEntities({ queryOptions: { filter: "PartitionKey eq 'inbox'" } }))
    names.push(name);
  return names;
}

describe('two pools that share an inbox', () => {
  let world: InboxWorld;
  let rejections: string[];
  beforeEach(() => {
    world = new InboxWorld();
    rejections = [];
  });

  /** Runs an inbox scan of the app of a pool, with a version of the package. */
  const collect = (pool: string | undefined, registry = OLD, change: Partial<InboxDeps> = {}): Promise<InboxResult> =>
    world.collect({
      ...world.deps,
      ...change,
      registry,
      settings: { ...world.deps.settings, pool },
      publishRejected: async ({ name }) => {
        rejections.push(name);
      },
    });
  const drop = (...names: string[]): void => {
    for (const name of names) world.blobs.put('inbox', name, '{"id":1}\n');
  };

  it('each takes the files of its workloads, and leaves the others', async () => {
    drop('first/a.ndjson', 'second/a.ndjson');

    expect(await collect('two')).toEqual({ ...NOTHING, accepted: 1 });
    expect(world.names('inbox/')).toEqual(['inbox/first/a.ndjson']);
    expect(await collect('one')).toEqual({ ...NOTHING, accepted: 1 });
    expect(world.names('inbox-done/')).toEqual(['inbox-done/first/a.ndjson', 'inbox-done/second/a.ndjson']);
  });

  it('create one batch per file if both run at the same time', async () => {
    drop('first/a.ndjson', 'second/a.ndjson', 'first/b.txt', 'second/b.txt');

    await Promise.all([collect('one'), collect('two')]);

    expect(await world.batches()).toHaveLength(2);
    expect(rejections.toSorted()).toEqual(['first/b.txt', 'second/b.txt']);
    expect(world.names('inbox/')).toEqual([]);
  });

  it('two versions that disagree about the pool of a workload create one batch from its file', async () => {
    const before = createRegistry([first, workload('moved', 'one')]);
    const after = createRegistry([first, workload('moved', 'two')]);
    drop('moved/a.ndjson');

    await Promise.all([collect('one', before), collect('two', after)]);
    await collect('two', after);

    expect(await world.batches()).toHaveLength(1);
    expect(world.names('inbox')).toEqual(['inbox-done/moved/a.ndjson']);
  });

  it.each([['nobody/a.ndjson'], ['a.ndjson'], ['nobody/a.ndjson.url']])(
    '%s, which contains no workload, is rejected once, by the first pool',
    async (name) => {
      drop(name);
      world.wait(16 * MINUTE);

      const [one, two] = await Promise.all([collect('one'), collect('two')]);

      expect([one, two]).toEqual([{ ...NOTHING, rejected: 1 }, NOTHING]);
      expect(rejections).toEqual([name]);
      const reason = world.blobs.blobs.get(`inbox-rejected/${name}.reason.json`)?.body.toString();
      expect(reason).toContain('of a known workload');
    },
  );

  it.each([
    ['the first pool', { one: OLD, two: NEW }],
    ['the pool of the workload', { one: NEW, two: OLD }],
  ])('a file of a new workload waits while %s still runs the previous version', async (_which, { one, two }) => {
    drop('added/a.ndjson');
    // The pool of the workload takes the file as soon as it knows the workload. Until then no app rejects it.
    expect(await collect('one', one)).toEqual(NOTHING);
    if (two === OLD) expect(await collect('two', two)).toEqual(NOTHING);
    expect(rejections).toEqual([]);

    expect(await collect('two', NEW)).toEqual({ ...NOTHING, accepted: 1 });
  });

  it('an app of all pools takes every file, and rejects a file without a workload immediately', async () => {
    drop('first/a.ndjson', 'second/a.ndjson', 'nobody/a.ndjson');

    expect(await collect(undefined)).toEqual({ ...NOTHING, accepted: 2, rejected: 1 });
  });

  it('an inbox scan keeps the mark of a file that another pool could not move', async () => {
    drop('first/a.ndjson', 'second/a.ndjson');
    await collect('two', OLD, { container: withoutCopies(world) });
    expect(world.names('inbox/')).toEqual(['inbox/first/a.ndjson', 'inbox/second/a.ndjson']);

    await collect('one');

    expect(await marked(world)).toEqual(['second/a.ndjson']);
    expect(await collect('two')).toEqual({ ...NOTHING, accepted: 1 });
    expect(await world.batches()).toHaveLength(2);
  });

  it('an inbox scan removes no mark while a file waits for its workload to be known', async () => {
    drop('second/a.ndjson');
    await collect('two', OLD, { container: withoutCopies(world) });
    // This version does not contain the workload, so the file no longer belongs to one.
    const without = createRegistry([first]);
    drop('first/b.ndjson');

    await collect('one', without);

    expect(await marked(world)).toEqual(['second/a.ndjson']);
    world.wait(16 * MINUTE);
    expect(await collect('one', without)).toMatchObject({ accepted: 1, rejected: 0 });
  });
});
