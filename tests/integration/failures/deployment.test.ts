import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { finished, queueOf, report, send } from '../../helpers/client.ts';
import { buildOddApp } from '../../helpers/odd-app.ts';
import { startStack, type TestStack } from '../../helpers/stack.ts';

/** More than three instances can end before they have stopped, even if they notice the deployment only after seconds. */
const ITEMS = 150;
const SHORT = { SLUICE_VISIBILITY_SECONDS: '4', SLUICE_SLICE_SECONDS: '2', SLUICE_INBOX_SCHEDULE: '' };

describe('a deployment during a drain', () => {
  let stack: TestStack;
  let folder: string;
  beforeAll(async () => {
    folder = await buildOddApp('odd-deployment');
    await setVersion('one');
    stack = await startStack({ appFolder: folder, settings: SHORT, instances: 3 });
  });
  afterAll(() => stack?.stop());

  /** Like in a package, the version is derived from the orchestrator's code. */
  async function setVersion(version: string): Promise<void> {
    const file = join(folder, 'host.json');
    const host = JSON.parse(await readFile(file, 'utf8'));
    host.extensions.durableTask.defaultVersion = version;
    await writeFile(file, JSON.stringify(host));
  }

  /** Runs one task after another, from the last to the first: no history of the old code fits. */
  async function changeOrchestrator(): Promise<void> {
    const file = join(folder, 'dist/shared/drain/drain-queue.js');
    const old = await readFile(file, 'utf8');
    const changed = old.replace('yield context.df.Task.all(tasks)', 'yield* inTurn(tasks)');
    expect(changed).not.toBe(old);
    await writeFile(
      file,
      `${changed}\nfunction* inTurn(tasks) { const all = []; for (const task of tasks.reverse()) all.push(yield task); return all; }\n`,
    );
  }

  /** Calls the sweep, and returns the gate's generation, which grows with a take-over. */
  async function generationAfterSweep(): Promise<number> {
    const answer = await stack.api('sweep', { method: 'POST' });
    expect(answer.status).toBe(200);
    return (await queueOf(stack, 'heavy-normal-0'))?.generation ?? 0;
  }

  it('with changed orchestrator code ends in an exact report after a sweep has taken over the failed drain', async () => {
    const items = Array.from({ length: ITEMS }, (_, n) => ({ n, do: 'wait', ms: 200 }));
    const { id } = await send(stack, 'heavy', items);
    // Waits until a task has begun: if only the gate was acquired, a drain of the new code would serve it from its start.
    await expect.poll(async () => (await queueOf(stack, 'heavy-normal-0'))?.active).toBeGreaterThan(0);

    await stack.stopHosts();
    await changeOrchestrator();
    await setVersion('two');
    await stack.restartHosts();
    // The old drain fails at its next turn, which comes shortly after the start: an earlier sweep still finds it Running.
    await expect.poll(generationAfterSweep, { timeout: 60_000, interval: 1_000 }).toBeGreaterThan(1);

    const batch = await finished(stack, id, 90);
    expect(batch).toMatchObject({ state: 'completed', counts: { accepted: ITEMS, succeeded: ITEMS } });
    expect(await report(stack, id)).toEqual({ all: { count: ITEMS, sum: (ITEMS * (ITEMS - 1)) / 2 } });
  });
});
