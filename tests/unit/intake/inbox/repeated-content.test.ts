import { describe, expect, it } from 'vitest';
import { submit } from '../../../../shared/intake/submit.ts';
import { withLog } from '../../../../shared/telemetry/log.ts';
import { dyingAt } from '../../../helpers/fakes/crashes.ts';
import { SILENT_LOG } from '../../../helpers/fakes/silent-log.ts';
import { InboxWorld, NOTHING, registry } from './inbox-world.ts';

const ndjson = '{"id":1}\n{"id":2}\n';
const drop = (world: InboxWorld, ...names: readonly string[]): void => {
  for (const name of names) world.blobs.put('inbox', name, ndjson);
};

describe('content of a workload that refuses repeats', () => {
  const reasonOf = (world: InboxWorld, name: string): { type?: string; detail?: string } =>
    JSON.parse(world.blobs.blobs.get(`inbox-rejected/${name}.reason.json`)?.body.toString() ?? '{}');

  it('is rejected under another name for seven days, with the id of its batch', async () => {
    const world = new InboxWorld();
    drop(world, 'strict/first.ndjson');
    await world.collect();
    const [first] = await world.batches();

    drop(world, 'strict/second.ndjson');
    expect(await world.collect()).toEqual({ ...NOTHING, rejected: 1 });

    const { type, detail } = reasonOf(world, 'strict/second.ndjson');
    expect(type).toBe('repeated-content');
    expect(detail).toContain(first?.id);
    expect(world.names('payloads/')).toHaveLength(1);
    world.wait(8 * 86_400_000);
    drop(world, 'strict/third.ndjson');
    expect(await world.collect()).toEqual({ ...NOTHING, accepted: 1 });
  });

  it('becomes one batch if two files are taken at the same time', async () => {
    const world = new InboxWorld();
    drop(world, 'strict/a.ndjson', 'strict/b.ndjson');
    for (let run = 0; run < 3; run++) await world.collect();
    expect(await world.batches()).toHaveLength(1);
    expect([...world.names('inbox-done/'), ...world.names('inbox-rejected/')]).toHaveLength(3);
  });

  it('is rejected if an upload over HTTP had it, but the upload itself is never refused', async () => {
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
    drop(world, 'strict/a.ndjson');
    expect(await world.collect()).toEqual({ ...NOTHING, rejected: 1 });
    expect(await world.batches()).toHaveLength(2);
  });

  it('becomes one batch after a crash at any write, whichever of two files comes next', async () => {
    for (let at = 1; at <= 16; at++) {
      const world = new InboxWorld();
      drop(world, 'strict/b.ndjson');
      await world.collect(dyingAt(world.deps, at));
      drop(world, 'strict/a.ndjson');
      for (let run = 0; run < 4; run++) {
        world.wait(6 * 60_000);
        await world.collect();
      }
      expect(await world.batches()).toHaveLength(1);
      expect(world.names('inbox/')).toEqual([]);
    }
  });
});
