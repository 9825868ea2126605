import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  callsOf,
  fakeAz,
  inFolder,
  type Run,
  run,
  SHELLS,
  SUBSCRIPTION,
  secondsSlept,
  useFakeCommands,
} from './fake-commands.ts';

useFakeCommands();

const SUBSCRIPTIONS = 'topic subscription list';
const RULES = 'subscription rule list';
const DELETE = 'subscription rule delete';
const IDENTITIES = 'principalId';
const ASSIGNMENTS = 'role assignment list';
const APPS = '[].name';
const SETTINGS = 'appsettings list';
const WELL = {
  [SUBSCRIPTIONS]: 'echo wake-default',
  [RULES]: 'echo queue-work-detected',
  [SETTINGS]: ':',
  [IDENTITIES]: 'echo principal-1; echo principal-1',
  [ASSIGNMENTS]: 'echo /subscriptions/s/storageAccounts/host',
  [APPS]: 'echo func-a; echo func-b',
};
const TARGET = ['rg-test', 'sb-test', 'sluice-events'];

describe.each(SHELLS)('%s after-provision.sh', (shell) => {
  const provision = (env: Record<string, string> = {}, args = TARGET): Run =>
    run(shell, 'after-provision.sh', args, env);

  it('changes nothing in a correct deployment, and checks a shared identity once', () => {
    fakeAz({ ...WELL, [SUBSCRIPTIONS]: 'echo wake-default; echo wake-media' });
    expect(provision()).toMatchObject({ status: 0, stderr: '' });
    expect(callsOf('az').filter((call) => call.includes(DELETE))).toEqual([]);
    expect(callsOf('az').filter((call) => call.includes(RULES))).toHaveLength(2);
    expect(callsOf('az').filter((call) => call.includes(ASSIGNMENTS))).toHaveLength(1);
    expect(secondsSlept()).toBe(0);
  });

  it.each([SUBSCRIPTIONS, RULES, APPS, SETTINGS, IDENTITIES, ASSIGNMENTS])('fails if az fails at: %s', (words) => {
    fakeAz({ ...WELL, [words]: 'echo "ERROR: denied" >&2; exit 3' });
    const { status, stderr } = provision();
    expect(status).toBe(1);
    expect(stderr).toContain('ERROR: denied');
    expect(stderr).toContain('az could not list');
    expect(secondsSlept()).toBe(0);
  });

  it('fails if az is not installed', () => {
    const { status, stderr } = provision({ PATH: inFolder('nothing') + delimiter + pathOfTools() });
    expect([status, stderr]).toEqual([1, expect.stringContaining('az could not list the subscriptions')]);
  });

  it('fails if the topic has no subscription', () => {
    fakeAz({ ...WELL, [SUBSCRIPTIONS]: ':' });
    const { status, stderr } = provision();
    expect([status, stderr]).toEqual([1, expect.stringContaining('has no subscription named wake-<pool>')]);
  });

  it('removes the match-all rule, and reports it', () => {
    fakeAz({ ...WELL, [RULES]: "printf '%s\\n' '$Default' queue-work-detected", [DELETE]: ':' });
    const { status, stdout } = provision();
    expect([status, stdout]).toEqual([0, expect.stringContaining('wake-default: removed the match-all rule')]);
    expect(callsOf('az').filter((call) => call.includes(DELETE))).toEqual([
      expect.stringContaining('--subscription-name wake-default --name $Default'),
    ]);
  });

  it('fails if the match-all rule cannot be removed', () => {
    fakeAz({ ...WELL, [RULES]: "printf '%s\\n' '$Default' queue-work-detected", [DELETE]: 'exit 1' });
    expect(provision()).toMatchObject({ status: 1, stderr: expect.stringContaining('could not remove') });
  });

  it('fails if the rule of the pool is missing', () => {
    fakeAz({ ...WELL, [RULES]: "echo '$Default'", [DELETE]: ':' });
    expect(provision()).toMatchObject({ status: 1, stderr: expect.stringContaining('queue-work-detected is missing') });
  });

  it('fails if an app has a connection string of its host storage', () => {
    fakeAz({ ...WELL, [SETTINGS]: 'case "$*" in *func-b*) printf "AzureWebJobsStorage\\r\\n" ;; esac' });
    const { status, stdout, stderr } = provision();
    expect([status, stdout]).toEqual([1, expect.stringContaining('func-a: uses the host storage with its identity')]);
    expect(stderr).toContain(
      'app func-b has AzureWebJobsStorage, which takes precedence over its identity. Remove it: az functionapp config appsettings delete --resource-group rg-test --name func-b --setting-names AzureWebJobsStorage',
    );
  });

  it('waits for the role with progress messages, and continues when it is assigned', () => {
    const third = `n=$(grep -c '${ASSIGNMENTS}' "$FAKES/az.calls"); if [ "$n" -ge 3 ]; then echo /host; fi`;
    fakeAz({ ...WELL, [ASSIGNMENTS]: third });
    const { status, stdout, stderr } = provision();
    expect([status, secondsSlept()]).toEqual([0, 20]);
    expect(stderr.trim().split('\n')).toEqual(
      [0, 10].map(
        (seconds) =>
          `waiting for role Storage Blob Data Owner of principal principal-1, the identity of the apps: ${seconds} s so far, at most 600 s`,
      ),
    );
    expect(stdout).toContain("role Storage Blob Data Owner of the apps' identity: assigned");
  });

  it('fails after ten minutes with instructions', () => {
    fakeAz({ ...WELL, [ASSIGNMENTS]: ':' });
    const { status, stderr } = provision();
    expect([status, secondsSlept()]).toEqual([1, 600]);
    expect(stderr).toContain(
      'stopped waiting for role Storage Blob Data Owner of principal principal-1, the identity of the apps after 600 s',
    );
    expect(stderr).toContain('provision again as a user who may assign roles');
  });

  it('passes the subscription to every call; the argument overrides the variable', () => {
    fakeAz(WELL);
    expect(provision({ AZURE_SUBSCRIPTION_ID: 'other' }, [...TARGET, SUBSCRIPTION]).status).toBe(0);
    expect(callsOf('az').filter((call) => !call.endsWith(`--subscription ${SUBSCRIPTION}`))).toEqual([]);
    rmSync(inFolder('az.calls'));
    expect(provision({ AZURE_SUBSCRIPTION_ID: SUBSCRIPTION }).status).toBe(0);
    expect(callsOf('az').filter((call) => !call.endsWith(`--subscription ${SUBSCRIPTION}`))).toEqual([]);
  });

  it('uses the selected subscription of az by default', () => {
    fakeAz(WELL);
    expect(provision().status).toBe(0);
    expect(callsOf('az').filter((call) => call.includes('--subscription '))).toEqual([]);
  });

  it('does not interpret special characters in names', () => {
    const odd = "wake-a b $(touch pwned) * 'c'";
    writeFileSync(inFolder('odd'), `${odd}\r\n`);
    fakeAz({ ...WELL, [SUBSCRIPTIONS]: 'cat "$FAKES/odd"' });
    const { status, stdout } = provision({}, ['my group; touch pwned', 'sb', 'topic']);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`${odd}: has only the expected rule`)]);
    expect(callsOf('az').find((call) => call.includes(RULES))).toContain(`--subscription-name ${odd} --query`);
    expect(callsOf('az')[0]).toContain('--resource-group my group; touch pwned --namespace-name sb');
    expect(existsSync(inFolder('pwned'))).toBe(false);
  });

  it('fails without its arguments', () => {
    fakeAz(WELL);
    expect(provision({}, ['rg']).status).not.toBe(0);
    expect(callsOf('az')).toEqual([]);
  });
});

/** Returns PATH without the folders that contain az. */
const pathOfTools = (): string =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((each) => !existsSync(join(each, 'az')))
    .join(delimiter);
