import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { spawnHost, startHostProcess } from '../../helpers/host-process.ts';

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'host-state-'));
});
afterEach(() => rm(stateDir, { recursive: true, force: true }));

describe('start', () => {
  it('runs the functions that it supports and reports the others', async () => {
    const host = await startHostProcess({ appFolder: fixture('stream-app'), env: { NIGHTLY: '0 0 4 * * *' } });
    expect(host.output()).toContain("Skipping 'NIGHTLY' from local settings as it's already defined");
    expect(host.output()).toContain('Function off is disabled.');
    expect(host.output()).toContain("The 'from-queue' function is in error: the binding type 'queueTrigger'");
    expect(host.output()).toContain("The 'unresolved' function is in error: '%NO_SUCH_SETTING%' does not resolve");
    expect(host.output()).toContain(
      "The 'needs-bundle' function is in error: The binding type(s) 'activityTrigger' are not",
    );
    expect(host.output().match(/host\.json: 'extensions\.http\.hsts' has no effect/g)).toHaveLength(1);
    expect(host.output()).toMatch(/^\tevery-second: timerTrigger$/m);
    expect(host.output()).not.toMatch(/^\toff:/m);
    expect(await host.stop()).toBe(0);
    expect(host.output()).toContain('hook: terminated');
  });

  it('ends with 1 and the reason if the app cannot be loaded', async () => {
    const host = await spawnHost({ appFolder: fixture('broken-app') });
    expect(await host.exited).toBe(1);
    expect(host.output()).toMatch(/Worker was unable to load entry point ".*app\.js": .*missing\.js/);
  });

  it('ends with 1 if the folder is not an app', async () => {
    const host = await spawnHost({ appFolder: stateDir });
    expect(await host.exited).toBe(1);
    expect(host.output()).toContain('host.json: file not found');
    expect(host.output()).not.toMatch(/^ +at /m);
  });
});

describe('timers', () => {
  it('run on startup with retries, keep their status, and are past due after a pause', async () => {
    const options = { appFolder: fixture('stream-app'), stateDir };
    const first = await startHostProcess(options);
    await first.waitFor(/nightly pastDue=false last=0001-01-01T00:00:00 try=0/);
    await first.waitFor(/Waiting for `00:00:00` before retrying function execution\. Next attempt: '1'/);
    await first.waitFor(/nightly pastDue=false .* try=1/);
    await first.waitFor(/Executed 'Functions\.nightly' \(Succeeded/);
    await first.stop('SIGINT');
    const file = join(stateDir, 'timers', 'nightly.json');
    const status = JSON.parse(await readFile(file, 'utf8'));
    const dayMs = 24 * 3_600_000;
    await writeFile(
      file,
      JSON.stringify({ ...status, lastMs: status.nextMs - 2 * dayMs, nextMs: status.nextMs - dayMs }),
    );
    const second = await startHostProcess(options);
    await second.waitFor(/Trigger Details: UnscheduledInvocationReason: IsPastDue, OriginalSchedule: /);
    await second.waitFor(/nightly pastDue=true/);
    await second.stop();
  });
});

describe('stop', () => {
  it('waits for a running invocation and refuses new ones', async () => {
    const host = await startHostProcess({ appFolder: fixture('stream-app') });
    const running = fetch(`${host.url}/api/slow?ms=500`).then((answer) => answer.text());
    await host.waitFor(/Executing 'Functions\.slow'/);
    const stopped = host.stop();
    expect(await running).toBe('slow');
    expect(await stopped).toBe(0);
    await expect(fetch(`${host.url}/`)).rejects.toThrow();
  });

  it('does not wait longer than its grace period', async () => {
    const host = await startHostProcess({ appFolder: fixture('stream-app'), args: ['--grace-ms', '200'] });
    const running = fetch(`${host.url}/api/slow?ms=60000`).catch(() => 'cut');
    await host.waitFor(/Executing 'Functions\.slow'/);
    const startedAt = Date.now();
    expect(await host.stop()).toBe(0);
    expect(Date.now() - startedAt).toBeLessThan(10_000);
    expect(await running).toBe('cut');
    expect(host.output()).toContain('hook: terminated');
  });

  it('ends immediately at a second signal of any kind while the first stop waits', async () => {
    const host = await startHostProcess({ appFolder: fixture('stream-app'), args: ['--grace-ms', '100000'] });
    const running = fetch(`${host.url}/api/slow?ms=100000`).catch(() => 'cut');
    await host.waitFor(/Executing 'Functions\.slow'/);
    const stopped = host.stop('SIGINT');
    await expect.poll(() => fetch(`${host.url}/`).catch(() => 'refused')).toBe('refused');
    void host.stop('SIGTERM');
    expect(await stopped).toBe(1);
    expect(await running).toBe('cut');
  });

  it('ends with 1 because of an uncaught error of the app', async () => {
    const host = await startHostProcess({ appFolder: fixture('stream-app') });
    await fetch(`${host.url}/api/crash`).catch(() => undefined);
    expect(await host.exited).toBe(1);
    expect(host.output()).toContain('Worker uncaught exception: Error: thrown by a timer of the app');
  });
});
