import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostProcess, startHostProcess } from '../../helpers/host-process.ts';

let host: HostProcess;

beforeAll(async () => {
  host = await startHostProcess({
    appFolder: fileURLToPath(new URL('fixtures/durable-app', import.meta.url)),
    args: ['--durable-file', ':memory:', '--enable-auth'],
    env: { HUB: 'testhub' },
  });
});
afterAll(() => host.stop());

async function runOrchestration(name: string, input: unknown): Promise<unknown> {
  const started = await fetch(`${host.url}/api/start/${name}`, { method: 'POST', body: JSON.stringify(input) });
  const { statusQueryGetUri } = (await started.json()) as { statusQueryGetUri: string };
  for (;;) {
    const answer = await fetch(statusQueryGetUri);
    const status = await answer.json();
    if (answer.status !== 202) return status;
  }
}

describe('durable bindings', () => {
  it('run orchestrators, activities and the client', async () => {
    const status = await runOrchestration('greet-all', ['a', 'b']);
    expect(status).toMatchObject({ runtimeStatus: 'Completed', output: ['hello a', 'hello b'] });
  });

  it("give an activity's failure to its orchestrator", async () => {
    const status = await runOrchestration('calls-failing', {});
    expect(status).toMatchObject({ output: "Activity function 'fails' failed: activity on purpose" });
  });

  it('keep the webhooks keyed while keys are enforced', async () => {
    expect((await fetch(`${host.url}/runtime/webhooks/durabletask/instances`)).status).toBe(401);
  });
});
