import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, send } from '../../helpers/client.ts';
import { buildOddApp } from '../../helpers/odd-app.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const SETTINGS = { SLUICE_SLICE_SECONDS: '2', SLUICE_INBOX_SCHEDULE: '' };

describe('lanes', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await startStack({ appFolder: await buildOddApp('odd-lanes'), settings: SETTINGS });
  });
  afterAll(() => stack?.stop());

  it('a batch of the high lane overtakes a bulk batch that has more work than there are tasks', async () => {
    const work = Array.from({ length: 60 }, (_, n) => ({ n, do: 'wait', ms: 400 }));
    const bulk = await send(stack, 'heavy', work, '?lane=bulk');

    const high = await finished(stack, (await send(stack, 'heavy', [{ n: 1 }], '?lane=high')).id);

    const now = (await (await stack.api(`batches/${bulk.id}`)).json()) as { counts: { pending: number } };
    expect(high.counts.succeeded).toBe(1);
    expect(now.counts.pending).toBeGreaterThan(0);
    expect((await finished(stack, bulk.id)).counts.succeeded).toBe(60);
  });
});
