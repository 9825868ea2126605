/** Tests the scripts of a deployment in several shells, with fakes of az, curl, sleep and date. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../bicep.ts';

const SHELLS = ['dash', 'bash --posix', 'sh'].filter((shell) => {
  const [command = ''] = shell.split(' ');
  return spawnSync(command, ['-c', 'exit 0']).status === 0;
});
/** A clock that advances only by sleeping. */
const SLEEP = 'now=$(cat "$FAKES/now"); echo $((now + $1)) > "$FAKES/now"';
const DATE = 'cat "$FAKES/now"';
const SUBSCRIPTION = '11111111-2222-3333-4444-555555555555';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice scripts '));
  writeFileSync(join(folder, 'now'), '1000\n');
  fake('sleep', SLEEP);
  fake('date', DATE);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Puts a command on PATH that records its arguments, one call per line. Its body can use `$FAKES`. */
function fake(name: string, body: string): void {
  const record = `printf '%s\\n' "$*" >> "$FAKES/${name}.calls"`;
  writeFileSync(join(folder, name), `#!/bin/sh\n${record}\n${body}\n`, { mode: 0o755 });
}

/** Fakes az: answers by words of the command, and fails for unknown commands. */
const fakeAz = (cases: Record<string, string>): void =>
  fake(
    'az',
    `case "$*" in\n${Object.entries(cases)
      .map(([words, body]) => `*'${words}'*) ${body} ;;`)
      .join('\n')}\n*) echo "az: unexpected $*" >&2; exit 64 ;;\nesac`,
  );

const callsOf = (name: string): string[] => {
  const file = join(folder, `${name}.calls`);
  return existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
};
const secondsSlept = (): number => Number(readFileSync(join(folder, 'now'), 'utf8')) - 1000;

interface Run {
  status: number | null;
  stdout: string;
  stderr: string;
}

function run(shell: string, script: string, args: readonly string[], env: Record<string, string> = {}): Run {
  const [command = '', ...options] = shell.split(' ');
  const { status, stdout, stderr } = spawnSync(command, [...options, join(ROOT, 'infra', script), ...args], {
    encoding: 'utf8',
    cwd: folder,
    env: { PATH: `${folder}${delimiter}${process.env.PATH}`, TMPDIR: folder, FAKES: folder, ...env },
  });
  return { status, stdout, stderr };
}

const SUBSCRIPTIONS = 'topic subscription list';
const RULES = 'subscription rule list';
const DELETE = 'subscription rule delete';
const IDENTITIES = 'principalId';
const ASSIGNMENTS = 'role assignment list';
const WELL = {
  [SUBSCRIPTIONS]: 'echo wake-default',
  [RULES]: 'echo queue-work-detected',
  [IDENTITIES]: 'echo principal-1; echo principal-1',
  [ASSIGNMENTS]: 'echo /subscriptions/s/storageAccounts/host',
};
const TARGET = ['rg-test', 'sb-test', 'sluice-events'];

it('the tests run with more than one shell', () => {
  expect(SHELLS.length).toBeGreaterThan(1);
});

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

  it.each([SUBSCRIPTIONS, RULES, IDENTITIES, ASSIGNMENTS])('fails if az fails at: %s', (words) => {
    fakeAz({ ...WELL, [words]: 'echo "ERROR: denied" >&2; exit 3' });
    const { status, stderr } = provision();
    expect(status).toBe(1);
    expect(stderr).toContain('ERROR: denied');
    expect(stderr).toContain('az could not list');
    expect(secondsSlept()).toBe(0);
  });

  it('fails if az is not installed', () => {
    const { status, stderr } = provision({ PATH: join(folder, 'nothing') + delimiter + pathOfTools() });
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
    rmSync(join(folder, 'az.calls'));
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
    writeFileSync(join(folder, 'odd'), `${odd}\r\n`);
    fakeAz({ ...WELL, [SUBSCRIPTIONS]: 'cat "$FAKES/odd"' });
    const { status, stdout } = provision({}, ['my group; touch pwned', 'sb', 'topic']);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`${odd}: has only the expected rule`)]);
    expect(callsOf('az').find((call) => call.includes(RULES))).toContain(`--subscription-name ${odd} --query`);
    expect(callsOf('az')[0]).toContain('--resource-group my group; touch pwned --namespace-name sb');
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
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

const PUBLISH = 'config-zip';
const DENIED =
  'echo "ERROR: Deployment failed. InaccessibleStorageException: BlobUploadFailedException: Response status code does not indicate success: 403 (This request is not authorized to perform this operation using this permission.)" >&2; exit 1';

describe.each(SHELLS)('%s publish-app.sh', (shell) => {
  const publish = (): Run => {
    writeFileSync(join(folder, 'app.zip'), 'zip');
    return run(shell, 'publish-app.sh', ['rg', 'func-a', join(folder, 'app.zip')]);
  };

  it('repeats a deployment that storage refuses until the role is effective', () => {
    fakeAz({ [PUBLISH]: `n=$(grep -c '${PUBLISH}' "$FAKES/az.calls"); if [ "$n" -lt 3 ]; then ${DENIED}; fi` });
    const { status, stderr } = publish();
    expect([status, callsOf('az').length, secondsSlept()]).toEqual([0, 3, 20]);
    expect(stderr).toContain('waiting for the package storage to accept a deployment to func-a: 10 s so far');
    expect(stderr).toContain('InaccessibleStorageException');
  });

  it('fails after ten minutes, with the last error and instructions', () => {
    fakeAz({ [PUBLISH]: DENIED });
    const { status, stderr } = publish();
    expect([status, secondsSlept()]).toEqual([1, 600]);
    expect(stderr).toContain('stopped waiting for the package storage to accept a deployment to func-a after 600 s');
    expect(stderr).toContain('a network rule');
  });

  it('fails immediately if waiting cannot help', () => {
    fakeAz({ [PUBLISH]: 'echo "ERROR: ResourceNotFound" >&2; exit 3' });
    const { status, stderr } = publish();
    expect([status, callsOf('az').length]).toEqual([1, 1]);
    expect(stderr).toMatch(/ResourceNotFound[\s\S]*publishing to func-a failed/);
  });

  it('fails without a call to Azure if the package does not exist', () => {
    fakeAz({});
    const { status, stderr } = run(shell, 'publish-app.sh', ['rg', 'func-a', join(folder, 'none.zip')]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run package creates it')]);
    expect(callsOf('az')).toEqual([]);
  });
});

const APPS = 'functionapp list';
const FUNCTIONS = 'function list';

describe.each(SHELLS)('%s first-publish.sh', (shell) => {
  const publish = (): Run => {
    writeFileSync(join(folder, 'app.zip'), 'zip');
    return run(shell, 'first-publish.sh', ['rg', join(folder, 'app.zip')]);
  };

  it('publishes only to apps without functions', () => {
    fakeAz({
      [APPS]: 'echo func-new; echo func-old',
      [FUNCTIONS]: 'case "$*" in *func-old*) echo func-old/submit-batch ;; esac',
      [PUBLISH]: ':',
    });
    const { status, stdout } = publish();
    expect([status, stdout]).toEqual([0, 'publishing to func-new\nfunc-old: already published\n']);
    expect(callsOf('az').filter((call) => call.includes(PUBLISH))).toHaveLength(1);
  });

  it('publishes to an app whose functions cannot be listed', () => {
    fakeAz({ [APPS]: 'echo func-new', [FUNCTIONS]: 'exit 1', [PUBLISH]: ':' });
    expect(publish()).toMatchObject({ status: 0, stdout: 'publishing to func-new\n' });
  });

  it.each([
    ['az fails', 'exit 1', 'az could not list the apps'],
    ['there is no app', ':', 'has no function app'],
  ])('fails if %s', (_case, body, message) => {
    fakeAz({ [APPS]: body });
    expect(publish()).toMatchObject({ status: 1, stderr: expect.stringContaining(message) });
  });

  it('fails if the package cannot be published to an app', () => {
    fakeAz({ [APPS]: 'echo func-a; echo func-b', [FUNCTIONS]: ':', [PUBLISH]: 'exit 1' });
    expect(publish()).toMatchObject({ status: 1, stderr: expect.stringContaining('publishing to func-a failed') });
    expect(callsOf('az').filter((call) => call.includes(PUBLISH))).toHaveLength(1);
  });
});

const SHOW = 'functionapp show';
const KEYS = 'function keys list';
const SET = 'function keys set';
const REMOVE = 'function keys delete';

describe.each(SHELLS)('%s sweep.sh', (shell) => {
  const sweep = (...args: string[]): Run => run(shell, 'sweep.sh', ['rg', ...args]);
  const CURL = 'cat >> "$FAKES/curl.stdin"; echo "{}"';

  it('sweeps one app with a key that the process list does not show', () => {
    fakeAz({ [SHOW]: 'echo func-a.azurewebsites.net', [KEYS]: 'echo top-secret' });
    fake('curl', CURL);
    expect(sweep('func-a')).toMatchObject({ status: 0 });
    expect(callsOf('curl')).toEqual([expect.stringMatching(/https:\/\/func-a\.azurewebsites\.net\/api\/sweep$/)]);
    expect(callsOf('curl')[0]).not.toContain('top-secret');
    expect(readFileSync(join(folder, 'curl.stdin'), 'utf8')).toBe('header = "x-functions-key: top-secret"\n');
  });

  it('sweeps every app of the group', () => {
    fakeAz({ [APPS]: 'echo func-a; echo func-b', [SHOW]: 'echo host', [KEYS]: 'echo key' });
    fake('curl', CURL);
    expect(sweep().status).toBe(0);
    expect(callsOf('curl')).toHaveLength(2);
  });

  it('waits for an app that was just published', () => {
    const second = `n=$(grep -c '${KEYS}' "$FAKES/az.calls"); if [ "$n" -lt 2 ]; then echo "ERROR: NotFound" >&2; exit 3; fi; echo key`;
    fakeAz({ [SHOW]: 'echo host', [KEYS]: second });
    fake('curl', CURL);
    const { status, stderr } = sweep('func-a');
    expect([status, secondsSlept()]).toEqual([0, 10]);
    expect(stderr).toContain('waiting for the functions of func-a: 0 s so far, at most 600 s');
  });

  it.each([
    ['az cannot show the app', { [SHOW]: 'exit 1' }, ':'],
    ['az cannot list the apps', { [APPS]: 'exit 1' }, ':'],
    ['the app never has functions', { [APPS]: 'echo a', [SHOW]: 'echo host', [KEYS]: ':' }, ':'],
    ['the sweep is refused', { [APPS]: 'echo a', [SHOW]: 'echo host', [KEYS]: 'echo key' }, 'exit 22'],
  ])('fails if %s', (_case, cases, curl) => {
    fakeAz(cases);
    fake('curl', curl);
    expect(sweep().status).not.toBe(0);
    expect(sweep('a').status).not.toBe(0);
  });
});

describe.each(SHELLS)('%s publish.sh', (shell) => {
  const outputs = (value: object): string => {
    const file = join(folder, 'outputs.json');
    writeFileSync(file, JSON.stringify(value));
    writeFileSync(join(folder, 'app.zip'), 'zip');
    return file;
  };
  const publish = (value: object): Run =>
    run(shell, 'publish.sh', [outputs(value), join(folder, 'app.zip')], { AZURE_SUBSCRIPTION_ID: SUBSCRIPTION });
  const ALL = { azurE_RESOURCE_GROUP: { value: 'rg' }, sluicE_APPS: { value: ['func-a', 'func-b'] } };

  it('publishes to every app of the subscription, and runs its sweep', () => {
    fakeAz({ [PUBLISH]: ':', [SHOW]: 'echo host', [KEYS]: 'echo key' });
    fake('curl', 'cat > /dev/null');
    expect(publish(ALL).status).toBe(0);
    expect(callsOf('az').map((call) => /--name (\S+)/.exec(call)?.[1])).toEqual([
      ...['func-a', 'func-a', 'func-a'],
      ...['func-b', 'func-b', 'func-b'],
    ]);
    expect(callsOf('az').filter((call) => !call.endsWith(`--subscription ${SUBSCRIPTION}`))).toEqual([]);
  });

  it.each([
    ['SLUICE_APPS', { AZURE_RESOURCE_GROUP: { value: 'rg' } }],
    ['AZURE_RESOURCE_GROUP', {}],
  ])('fails without the output %s', (name, value) => {
    fakeAz({});
    expect(publish(value)).toMatchObject({ status: 1, stderr: expect.stringContaining(`has no output ${name}`) });
  });

  it('stops at the first app that fails', () => {
    fakeAz({ [PUBLISH]: 'exit 1' });
    expect(publish(ALL).status).toBe(1);
    expect(callsOf('az')).toHaveLength(1);
  });
});

describe.each(SHELLS)('%s smoke.sh', (shell) => {
  const smoke = (env: Record<string, string> = {}): Run =>
    run(shell, 'smoke.sh', ['rg', 'func-a', '--timeout', '9'], env);
  const AZ = { [SHOW]: 'echo func-a.azurewebsites.net', [SET]: ':', [REMOVE]: ':' };
  const NPM = 'echo "$SLUICE_KEY" > "$FAKES/key"';

  it('runs the smoke test with its own key, which it masks, passes in the environment and removes', () => {
    fakeAz(AZ);
    fake('npm', NPM);
    const { status, stdout } = smoke({ GITHUB_ACTIONS: 'true' });
    const key = readFileSync(join(folder, 'key'), 'utf8').trim();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`::add-mask::${key}\n`)]);
    expect(callsOf('npm')).toEqual([
      'run --silent smoke -- --url https://func-a.azurewebsites.net --start-timeout 600 --timeout 9',
    ]);
    const calls = callsOf('az');
    expect(calls.filter((call) => call.includes(REMOVE))).toHaveLength(
      calls.filter((call) => call.includes(SET)).length,
    );
    expect(calls.filter((call) => call.includes('keys') && !call.includes('--key-name smoke'))).toEqual([]);
  });

  it('fails if the smoke test fails, and removes the key', () => {
    fakeAz(AZ);
    fake('npm', 'exit 1');
    expect(smoke().status).toBe(1);
    expect(callsOf('az').some((call) => call.includes(REMOVE))).toBe(true);
  });

  it('fails without running the test if no key can be set', () => {
    fakeAz({ ...AZ, [SET]: 'exit 1' });
    fake('npm', NPM);
    expect(smoke().status).toBe(1);
    expect(callsOf('npm')).toEqual([]);
    expect(callsOf('az').some((call) => call.includes(REMOVE))).toBe(true);
  });

  it('reports a key that it cannot remove', () => {
    fakeAz({ ...AZ, [REMOVE]: 'exit 1' });
    fake('npm', NPM);
    const { status, stderr } = smoke();
    expect([status, stderr]).toEqual([0, expect.stringContaining('infra/keys.sh rg func-a remove client smoke')]);
  });
});

describe('the commands of docs/deploy.md', () => {
  const text = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
  const SECTIONS = ['What you need', 'azd up', 'By hand', 'Smoke test', 'From GitHub Actions', 'Rollback'];
  const blocks = SECTIONS.flatMap((heading) => {
    const [, section = ''] = new RegExp(`^##+ ${heading}$([\\s\\S]*?)(?=^##+ |(?![\\s\\S]))`, 'm').exec(text) ?? [];
    const found = [...section.matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(([, block = '']) => block);
    expect(found, heading).not.toEqual([]);
    return found.map((block) => [heading, block] as const);
  });

  it.each(blocks)('are valid shell commands: %s, %#', (_heading, block) => {
    for (const shell of SHELLS) {
      const [command = '', ...options] = shell.split(' ');
      expect(spawnSync(command, [...options, '-n'], { input: block, encoding: 'utf8' })).toMatchObject({
        ...{ status: 0, stderr: '' },
      });
    }
    // A placeholder outside quotes would be a redirection.
    expect(block.replaceAll(/'[^']*'|"[^"]*"|#.*$/gm, '')).not.toMatch(/<\w/);
  });

  it('call scripts that exist', () => {
    const scripts = blocks.flatMap(([, block]) => block.match(/infra\/[\w-]+\.sh/g) ?? []);
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.filter((script) => !existsSync(join(ROOT, script)))).toEqual([]);
  });
});
