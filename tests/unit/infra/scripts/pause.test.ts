/** pause.sh, resume.sh and provision.sh. A test of the real API: tests/integration/failures/gentle-deployment.test.ts. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  callsOf,
  fake,
  fakeAz,
  inFolder,
  type Run,
  run,
  SHELLS,
  secondsSlept,
  useFakeCommands,
} from './fake-commands.ts';

useFakeCommands();

const AZ = {
  'group exists': 'echo true',
  'functionapp list': 'echo func-a; echo func-b',
  'functionapp show': 'echo host',
  'keys list': 'echo top-secret',
};
const MINE = { by: 'operator', reason: 'a deployment is under way', since: 'T1', until: 'T2' };
const THEIRS = { by: 'operator', reason: 'audit', since: 'T0' };

interface Queue {
  queue: string;
  pool?: string;
  status?: string;
  paused?: object | null;
}

/** Fakes the API of an app: `reads` are its answers to GET queues, one after the other; the last one stays. */
function fakeApi(reads: readonly (readonly Queue[])[], post = ':'): void {
  for (const [index, queues] of reads.entries())
    writeFileSync(
      inFolder(`read-${index}`),
      JSON.stringify({ queues: queues.map((one) => ({ pool: 'default', status: 'idle', paused: null, ...one })) }),
    );
  fake(
    'curl',
    `cat >> "$FAKES/curl.stdin"
case "$*" in
*/api/health) echo '{"pool":"default"}' ;;
*/api/queues) n=$(grep -c '/api/queues$' "$FAKES/curl.calls"); [ "$n" -gt ${reads.length} ] && n=${reads.length}; cat "$FAKES/read-$((n - 1))" ;;
*) ${post} ;;
esac`,
  );
}

/** The changes that a script asked for, without the options of curl. */
const posts = (): string[] =>
  callsOf('curl').flatMap((call) => {
    const [, path] = /POST .*api\/(\S+)/.exec(call) ?? [];
    return path === undefined ? [] : [path];
  });

describe.each(SHELLS)('%s pause.sh', (shell) => {
  const pause = (...args: string[]): Run => run(shell, 'pause.sh', ['rg', ...args]);

  it('pauses the queues of the pool with an end, unless an operator has, and waits for running drains', () => {
    const other = { queue: 'media-0', pool: 'media', status: 'draining' };
    fakeApi([
      [{ queue: 'a' }, { queue: 'b' }, other],
      [{ queue: 'a', status: 'draining' }, other],
      [{ queue: 'a' }, other],
    ]);
    fakeAz(AZ);
    const { status, stdout } = pause('func-a');
    expect([status, posts(), secondsSlept()]).toEqual([0, ['queues/a/pause', 'queues/b/pause'], 5]);
    expect(stdout).toContain('waiting for the running slices of a\n');
    expect(callsOf('curl').find((call) => call.includes('POST'))).toContain(
      '{"reason":"a deployment is under way","forSeconds":1200,"unlessPaused":true}',
    );
    expect(callsOf('curl').join()).not.toContain('top-secret');
    expect(readFileSync(inFolder('curl.stdin'), 'utf8')).toContain('x-functions-key: top-secret');
  });

  it('pauses every app before it waits for the first one', () => {
    fakeApi([[{ queue: 'a', status: 'draining' }], [{ queue: 'a', status: 'draining' }], [{ queue: 'a' }]]);
    fakeAz(AZ);
    expect(pause().status).toBe(0);
    expect(posts()).toHaveLength(2);
  });

  it('stops waiting after ten minutes, as a deployment may be the repair', () => {
    fakeApi([[{ queue: 'a', status: 'draining' }]]);
    fakeAz(AZ);
    fake('sleep', 'read -r now < "$FAKES/now"; echo $((now + 100)) > "$FAKES/now"');
    const { status, stderr } = pause('func-a');
    expect([status, secondsSlept()]).toEqual([0, 600]);
    expect(stderr).toContain('stopped waiting for a');
  });

  it.each([
    ['there is no group yet', { ...AZ, 'group exists': 'echo false' }, ':'],
    ['there is no app yet', { ...AZ, 'functionapp list': ':' }, ':'],
    ['the apps have no package yet', { ...AZ, 'keys list': 'exit 3' }, ':'],
    ['an app does not answer', AZ, 'exit 22'],
  ])('does not prevent a deployment if %s', (_case, az, curl) => {
    fakeAz(az);
    fake('curl', curl);
    expect(pause().status).toBe(0);
  });
});

describe.each(SHELLS)('%s resume.sh', (shell) => {
  const resume = (): Run => run(shell, 'resume.sh', ['rg', 'func-a']);

  it('ends only the pauses of a deployment, when the old instances are gone', () => {
    fakeApi([[{ queue: 'a', paused: MINE }, { queue: 'b', paused: THEIRS }, { queue: 'c' }]], 'echo 200');
    fakeAz(AZ);
    expect(resume().status).toBe(0);
    expect([posts(), secondsSlept()]).toEqual([['queues/a/resume'], 30]);
    expect(callsOf('curl').at(-1)).toContain('{"since":"T1"}');
  });

  it('leaves a queue that somebody has paused in the meantime', () => {
    fakeApi(
      [
        [
          { queue: 'a', paused: MINE },
          { queue: 'b', paused: MINE },
        ],
      ],
      'echo 409',
    );
    fakeAz(AZ);
    expect(resume()).toMatchObject({ status: 0, stdout: expect.stringContaining('a: somebody has paused it') });
    expect(posts()).toHaveLength(2);
  });

  it('does nothing without a pause, or in an app without a package', () => {
    fakeApi([[{ queue: 'b', paused: THEIRS }]]);
    fakeAz(AZ);
    expect([resume().status, secondsSlept()]).toEqual([0, 0]);
    fakeAz({ ...AZ, 'keys list': 'exit 3' });
    expect(resume()).toMatchObject({ status: 0, stdout: 'func-a: has no package, and nothing to resume\n' });
    expect(posts()).toEqual([]);
  });

  it.each([
    ['the app does not answer', [], 'exit 22'],
    ['a queue cannot be resumed', [[{ queue: 'a', paused: MINE }]], 'echo 500'],
  ])('fails if %s', (_case, reads, post) => {
    fakeAz(AZ);
    if (reads.length > 0) fakeApi(reads, post);
    else fake('curl', post);
    expect(resume()).toMatchObject({ status: 1, stderr: expect.stringContaining('ends by itself') });
  });
});

describe.each(SHELLS)('%s provision.sh', (shell) => {
  const template = { parameters: { location: { type: 'string' }, days: { type: 'int', defaultValue: 400 } } };
  const last = {
    provisioningState: 'Succeeded',
    templateHash: '42',
    parameters: { location: { value: 'northeurope' }, days: { value: 400 } },
    outputs: { AZURE_RESOURCE_GROUP: { value: 'rg-test' } },
  };
  /** Provisions after a last deployment. Returns what az was asked to change. */
  function provision(before: object | undefined, more: Record<string, string> = {}): Run & { created: boolean } {
    writeFileSync(
      inFolder('built'),
      JSON.stringify({
        templateJson: JSON.stringify(template),
        parametersJson: JSON.stringify({ parameters: { location: { value: 'northeurope' } } }),
      }),
    );
    writeFileSync(inFolder('last'), JSON.stringify(before ?? null));
    fakeAz({
      'bicep build-params': 'cat "$FAKES/built"',
      'deployment sub show': before === undefined ? 'exit 3' : 'cat "$FAKES/last"',
      calculateTemplateHash: 'echo 42',
      'group exists': 'echo false',
      'deployment sub create': 'echo "{}"',
      ...more,
    });
    const done = run(shell, 'provision.sh', ['test', 'northeurope', 'main.bicepparam', inFolder('outputs.json')]);
    return { ...done, created: callsOf('az').some((call) => call.includes('sub create')) };
  }

  it('deploys nothing if template and parameters are those of the last deployment', () => {
    expect(provision(last)).toMatchObject({ status: 0, created: false, stdout: expect.stringContaining('nothing') });
    expect(JSON.parse(readFileSync(inFolder('outputs.json'), 'utf8'))).toEqual(last.outputs);
  });

  it.each([
    ['there was none', undefined],
    ['the last one failed', { ...last, provisioningState: 'Failed' }],
    ['the template has changed', { ...last, templateHash: '41' }],
    ['a parameter has changed', { ...last, parameters: { ...last.parameters, location: { value: 'westeurope' } } }],
    ['a parameter has its default again', { ...last, parameters: { ...last.parameters, days: { value: 31 } } }],
  ])('pauses and deploys if %s', (_case, before) => {
    expect(provision(before)).toMatchObject({ status: 0, created: true });
    expect(callsOf('az').findIndex((call) => call.includes('group exists'))).toBeGreaterThan(0);
    expect(readFileSync(inFolder('outputs.json'), 'utf8')).toBe('{}\n');
  });

  it('deploys if the comparison is not possible', () => {
    expect(provision(last, { calculateTemplateHash: 'exit 1' })).toMatchObject({ status: 0, created: true });
  });

  it('fails, and writes no outputs, if the deployment fails', () => {
    const more = { 'deployment sub create': 'exit 1', 'functionapp list': 'exit 1' };
    expect(provision(undefined, more)).toMatchObject({ status: 1, stderr: expect.stringContaining('sluice-test') });
    expect(() => readFileSync(inFolder('outputs.json'))).toThrow('ENOENT');
  });
});
