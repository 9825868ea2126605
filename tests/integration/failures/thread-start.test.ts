import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, deadLetters, finished, queueOf, report, send } from '../../helpers/client.ts';
import { buildOddApp, oddItems } from '../../helpers/odd-app.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '3', SLUICE_INBOX_SCHEDULE: '' };
const ERROR = 'DATABASE_URL is not set';

describe('workloads that load in the app, but not in its worker threads', () => {
  let stack: TestStack;
  /** The file that threads load. Each start of a thread reads it again. */
  let file: string;
  let working: string;
  beforeAll(async () => {
    const folder = await buildOddApp('odd-threads');
    file = join(folder, 'dist/workloads/index.js');
    working = await readFile(file, 'utf8');
    await writeFile(
      file,
      `import { isMainThread } from 'node:worker_threads';\nif (!isMainThread) throw new Error('${ERROR}');\n${working}`,
    );
    stack = await startStack({ appFolder: folder, settings: SHORT });
  });
  afterAll(() => stack?.stop());

  it('shows the error with the batch and its queue; once repaired, the batch ends without a failed attempt', async () => {
    const { id } = await send(stack, 'odd', oddItems(240));

    await expect
      .poll(async () => (await ask(stack, id))?.blocked)
      .toMatchObject({
        queue: 'odd-normal-0',
        reason: expect.stringContaining(ERROR),
      });
    expect(await queueOf(stack, 'odd-normal-0')).toMatchObject({
      paused: { by: 'circuit', reason: expect.stringContaining(ERROR) },
    });

    await writeFile(file, working);
    const batch = await finished(stack, id);

    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: 240, succeeded: 240, retried: 0 } });
    expect(await deadLetters(stack, id)).toEqual({});
    expect(await report(stack, id)).toEqual({ all: { count: 240, sum: (240 * 239) / 2 } });
    // Does not use `ask`: while the host is unavailable, it has no answer, and therefore nothing that is blocked.
    expect((await finished(stack, id)).blocked).toBeUndefined();
    expect(await queueOf(stack, 'odd-normal-0')).toMatchObject({ paused: null });
  });
});
