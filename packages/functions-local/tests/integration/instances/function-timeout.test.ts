import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type InstancesStack, startInstances } from './fixture.ts';

/** Longer than the two seconds in which an invocation that exceeded the limit may still end. */
const LIMIT = '00:00:05';
/** In the milliseconds of a handler. */
const GRACE_MS = 2_500;
const ENDLESS_MS = 600_000;

let app: InstancesStack;
beforeEach(async () => {
  const limit = { AzureFunctionsJobHost__functionTimeout: LIMIT };
  // The platform replaces the process, whatever the stack does after a crash.
  app = await startInstances({ instances: 1, restart: false }, limit);
});
afterEach(() => app.stop());

const isRunningAgain = () => expect.poll(() => app.messages).toContain('host-1 is running again');
async function outcomeOf(statusUri: string): Promise<Record<string, unknown>> {
  const answer = await fetch(statusUri, { headers: { connection: 'close' } });
  return (await answer.json()) as Record<string, unknown>;
}
const ends = (statusUri: string, outcome: object): Promise<void> =>
  expect.poll(() => outcomeOf(statusUri).catch(() => undefined)).toMatchObject(outcome);

describe('an invocation that exceeds functionTimeout', () => {
  it('ends all invocations of its process, which a new process replaces without delay', async () => {
    // Prepare
    const over = await app.fanOut(['over'], ENDLESS_MS);
    await expect.poll(() => app.journal('start', 'over')).toHaveLength(1);
    await app.get(`slow?id=meanwhile&ms=${GRACE_MS}`);

    // Act: these begin so late that their own limit is after the end of the process.
    const request = app.get(`slow?id=cut&ms=${ENDLESS_MS}`);
    const innocent = await app.fanOut(['innocent'], ENDLESS_MS);
    const { status } = await request;
    await isRunningAgain();

    // Assess
    expect(status).toBe(500);
    const timeout = `Timeout value of ${LIMIT} was exceeded by function: Functions.work`;
    await ends(over, { runtimeStatus: 'Failed', output: expect.stringContaining(timeout) });
    const abort = 'Worker channel is shutting down. Aborting function.';
    await ends(innocent, { runtimeStatus: 'Failed', output: expect.stringContaining(abort) });
    await ends(await app.fanOut(['later'], 1), { runtimeStatus: 'Completed', output: 1 });
    expect(['over', 'innocent'].map((id) => app.journal('start', id).length)).toEqual([1, 1]);
  });

  it('runs again if it is an orchestrator', async () => {
    const { text } = await app.post('start', { ids: ['id'], ms: 1, instanceId: 'stuck' });
    const { statusQueryGetUri } = JSON.parse(text) as { statusQueryGetUri: string };
    await isRunningAgain();
    await ends(statusQueryGetUri, { runtimeStatus: 'Completed', output: 1 });
  });
});
