import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HostProcess, startHostProcess } from '../../helpers/host-process.ts';

let host: HostProcess;
let stateDir: string;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'host-state-'));
  host = await startHostProcess({
    appFolder: fileURLToPath(new URL('fixtures/durable-app', import.meta.url)),
    args: ['--durable-file', ':memory:', '--enable-auth'],
    stateDir,
    env: { HUB: 'testhub' },
  });
});
afterAll(async () => {
  await host.stop();
  await rm(stateDir, { recursive: true, force: true });
});

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

  it("pass an activity's failure to its orchestrator", async () => {
    const status = await runOrchestration('calls-failing', {});
    expect(status).toMatchObject({ output: "Activity function 'fails' failed: activity on purpose" });
  });

  it('require a key for the webhooks while keys are enforced, and accept the master key', async () => {
    const instances = `${host.url}/runtime/webhooks/durabletask/instances`;
    const { master } = JSON.parse(await readFile(join(stateDir, 'keys.json'), 'utf8'));
    expect((await fetch(instances)).status).toBe(401);
    expect((await fetch(`${instances}?code=${master}`)).status).toBe(200);
  });
});
