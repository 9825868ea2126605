import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  callsOf,
  fake,
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

const PUBLISH = 'config-zip';
const DENIED =
  'echo "ERROR: Deployment failed. InaccessibleStorageException: BlobUploadFailedException: Response status code does not indicate success: 403 (This request is not authorized to perform this operation using this permission.)" >&2; exit 1';
const SHOW = 'functionapp show';
const KEYS = 'function keys list';
const EXISTS = 'group exists';
const APPS = 'functionapp list';
const FUNCTIONS = 'function list';

describe.each(SHELLS)('%s publish-app.sh', (shell) => {
  const publish = (): Run => {
    writeFileSync(inFolder('app.zip'), 'zip');
    return run(shell, 'publish-app.sh', ['rg', 'func-a', inFolder('app.zip')]);
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
    const { status, stderr } = run(shell, 'publish-app.sh', ['rg', 'func-a', inFolder('none.zip')]);
    expect([status, stderr]).toEqual([1, expect.stringContaining('npm run package creates it')]);
    expect(callsOf('az')).toEqual([]);
  });
});

describe.each(SHELLS)('%s first-publish.sh', (shell) => {
  const publish = (): Run => {
    writeFileSync(inFolder('app.zip'), 'zip');
    return run(shell, 'first-publish.sh', ['rg', inFolder('app.zip')]);
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

describe.each(SHELLS)('%s publish.sh', (shell) => {
  const outputs = (value: object, zip: string): string => {
    const file = inFolder('outputs.json');
    writeFileSync(file, JSON.stringify(value));
    writeFileSync(inFolder('app.zip'), zip);
    return file;
  };
  const publish = (value: object, zip = 'zip'): Run =>
    run(shell, 'publish.sh', [outputs(value, zip), inFolder('app.zip')], { AZURE_SUBSCRIPTION_ID: SUBSCRIPTION });
  const ALL = { azurE_RESOURCE_GROUP: { value: 'rg' }, sluicE_APPS: { value: ['func-a', 'func-b'] } };

  const RUNNING = { [EXISTS]: 'echo true', [SHOW]: 'echo host', [KEYS]: 'echo key' };
  const build = 'sluice-build:00c0ffee';
  /** The API of an app without queues, which reports a build. */
  const api = (build: string): void =>
    fake(
      'curl',
      `cat > /dev/null\ncase "$*" in */health) echo '{"pool":null,"build":"${build}"}' ;; *) echo '{"queues":[]}' ;; esac`,
    );
  const published = (): string[] =>
    callsOf('az').flatMap((call) => (call.includes(PUBLISH) ? (/--name (\S+)/.exec(call)?.[1] ?? []) : []));

  it('pauses, publishes to, resumes and sweeps every app of the subscription', () => {
    fakeAz({ ...RUNNING, [PUBLISH]: ':' });
    api('bad');
    expect(publish(ALL).status).toBe(0);
    expect(published()).toEqual(['func-a', 'func-b']);
    const keys = callsOf('az').flatMap((call) => /--function-name (\S+)/.exec(call)?.[1] ?? []);
    const each = ['list-queues', 'pause-queue', 'list-queues', 'resume-queue', 'run-sweep'];
    expect(keys).toEqual([...each, ...each]);
    expect(callsOf('az').filter((call) => !call.endsWith(`--subscription ${SUBSCRIPTION}`))).toEqual([]);
  });

  it('does not publish what an app runs already, and resumes and sweeps it', () => {
    fakeAz(RUNNING);
    api('00c0ffee');
    const { status, stdout } = publish(ALL, build);
    expect([status, published(), secondsSlept()]).toEqual([0, [], 80]);
    expect(stdout).toContain('func-a: runs this package already\n');
    expect(callsOf('curl').filter((call) => call.includes('/api/sweep'))).toHaveLength(2);
  });

  it('publishes with rolling updates, in which an instance of an earlier update may answer for long', () => {
    fakeAz({ [PUBLISH]: ':', siteUpdateStrategy: 'echo RollingUpdate', ...RUNNING });
    api('00c0ffee');
    expect(publish(ALL, build).status).toBe(0);
    expect(published()).toEqual(['func-a', 'func-b']);
  });

  it.each([
    ['SLUICE_APPS', { AZURE_RESOURCE_GROUP: { value: 'rg' } }],
    ['AZURE_RESOURCE_GROUP', {}],
  ])('fails without the output %s', (name, value) => {
    fakeAz({});
    expect(publish(value)).toMatchObject({ status: 1, stderr: expect.stringContaining(`has no output ${name}`) });
  });

  it('stops at the first app that fails, and resumes it', () => {
    fakeAz({ ...RUNNING, [PUBLISH]: 'exit 1' });
    api('bad');
    expect(publish(ALL).status).toBe(1);
    expect(published()).toEqual(['func-a']);
    expect(callsOf('az').filter((call) => call.includes('resume-queue'))).toHaveLength(1);
  });
});
