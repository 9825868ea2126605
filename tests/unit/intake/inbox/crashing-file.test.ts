import { describe, expect, it } from 'vitest';
import type { InboxDeps } from '../../../../shared/intake/inbox/inbox-deps.ts';
import { serviceError } from '../../../helpers/data/factories.ts';
import { dyingAt } from '../../../helpers/fakes/crashes.ts';
import { InboxWorld, NOTHING } from './inbox-world.ts';

const NAME = 'plain/file.ndjson';

/** A world with one file. */
function withFile(metadata?: Record<string, string>): InboxWorld {
  const world = new InboxWorld();
  world.blobs.put('inbox', NAME, '{"id":1}\n{"id":2}\n', metadata);
  return world;
}

/** Scans whose process ends as soon as the file is claimed; the claim expires before the next one. */
async function crash(world: InboxWorld, times: number, deps = (_run: number): InboxDeps => world.deps): Promise<void> {
  for (let run = 1; run <= times; run++) {
    // Each try to create the row of a known key counts as a write; a suspect file has two.
    await world.collect(dyingAt(deps(run), run));
    world.wait();
  }
}

const reasonIn = (world: InboxWorld): { type?: string } =>
  JSON.parse(world.blobs.blobs.get(`inbox-rejected/${NAME}.reason.json`)?.body.toString() ?? '{}');

describe('a file that ends the process that reads it', () => {
  it('is rejected after three tries, of which the last was alone in its process', async () => {
    const world = withFile();
    const aloneOf: number[] = [];
    await crash(world, 3, (run) => ({
      ...world.deps,
      alone: (work) => {
        aloneOf.push(run);
        return work();
      },
    }));

    expect(await world.collect()).toEqual({ ...NOTHING, rejected: 1 });

    expect(aloneOf).toEqual([3]);
    expect(reasonIn(world).type).toBe('process-ended');
    expect(await world.batches()).toEqual([]);
    expect(world.names('inbox/')).toEqual([]);
  });

  it('gets three new tries when an operator returns it to the inbox under the key of its writer', async () => {
    const world = withFile({ idempotencykey: 'order-7' });
    await crash(world, 3);
    await world.collect();

    world.blobs.put('inbox', NAME, '{"id":1}\n', { idempotencykey: 'order-7' });

    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
  });

  it('is accepted if its third try succeeds', async () => {
    const world = withFile();
    await crash(world, 2);

    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
  });

  it('is taken alone only after all other files of the scan', async () => {
    const world = withFile();
    await crash(world, 2);
    world.blobs.put('inbox', 'plain/other.ndjson', '{"id":3}\n');
    let acceptedBefore = 0;

    await world.collect({
      ...world.deps,
      alone: async (work) => {
        acceptedBefore = (await world.batches()).length;
        return work();
      },
    });

    expect(acceptedBefore).toBe(1);
    expect(await world.batches()).toHaveLength(2);
  });
});

it('a file whose reading failed in a process that survived is not charged', async () => {
  const world = withFile();
  const container: InboxDeps['container'] = (name) =>
    name === 'payloads' ? failing(world.deps.container(name)) : world.deps.container(name);
  for (let run = 0; run < 5; run++) {
    expect(await world.collect({ ...world.deps, container })).toEqual({ ...NOTHING, deferred: 1 });
  }

  expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
});

/** A container that cannot be written. */
const failing = (container: ReturnType<InboxDeps['container']>): ReturnType<InboxDeps['container']> =>
  new Proxy(container, {
    get: (target, name) =>
      name === 'getBlockBlobClient'
        ? () => ({
            upload: () => Promise.reject(serviceError(503)),
            getProperties: () => Promise.reject(serviceError(503)),
          })
        : Reflect.get(target, name),
  });
