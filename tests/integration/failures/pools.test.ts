import { join } from 'node:path';
import { freePort, launchHost, type RunningProcess } from 'functions-local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entities } from '../../../demo/entities.ts';
import { sluiceStack } from '../../../demo/stack.ts';
import { finished, queueOf, send } from '../../helpers/client.ts';
import { buildOddApp } from '../../helpers/odd-app.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';
import { registry } from './app/registry.ts';

const SETTINGS = { SLUICE_SLICE_SECONDS: '2', SLUICE_INBOX_SCHEDULE: '', SLUICE_POOL: 'default' };

describe('two pools, an app each', () => {
  let stack: TestStack;
  let second: RunningProcess<string>;
  beforeAll(async () => {
    const appFolder = await buildOddApp('odd-pools');
    stack = await startStack({ appFolder, settings: SETTINGS, entities: entities(registry) });
    const port = await freePort();
    const folder = join(stack.folder, 'other-pool');
    const { storage, serviceBus } = stack;
    const settings = {
      ...sluiceStack(folder).settings({ storage, serviceBus }),
      ...SETTINGS,
      SLUICE_POOL: 'other',
      SLUICE_SUBSCRIPTION: 'wake-other',
      SLUICE_TASK_HUB: 'other',
    };
    second = await launchHost(folder, { appFolder, port, settings });
  });
  afterAll(async () => {
    await second?.stop();
    await stack?.stop();
  });

  it('work of one does not wait for the other, which has more than it can do', async () => {
    const busy = await send(
      stack,
      'heavy',
      Array.from({ length: 80 }, (_, n) => ({ n, do: 'wait', ms: 400 })),
    );
    await expect
      .poll(async () => (await queueOf(stack, 'heavy-normal-0'))?.status, { timeout: 10_000 })
      .toBe('draining');

    const { id } = await send(stack, 'other', [{ n: 1 }, { n: 2 }]);
    const other = await finished(stack, id, 30);

    const still = (await (await stack.api(`batches/${busy.id}`)).json()) as { counts: { pending: number } };
    expect(other.counts).toMatchObject({ accepted: 2, succeeded: 2 });
    expect(still.counts.pending).toBeGreaterThan(0);
    expect((await finished(stack, busy.id, 90)).counts.succeeded).toBe(80);
  });
});
