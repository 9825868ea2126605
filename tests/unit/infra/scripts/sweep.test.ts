import { readFileSync } from 'node:fs';
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

const APPS = 'functionapp list';
const SHOW = 'functionapp show';
const KEYS = 'function keys list';

describe.each(SHELLS)('%s sweep.sh', (shell) => {
  const sweep = (...args: string[]): Run => run(shell, 'sweep.sh', ['rg', ...args]);
  const CURL = 'cat >> "$FAKES/curl.stdin"; echo "{}"';

  it('sweeps one app with a key that the process list does not show', () => {
    fakeAz({ [SHOW]: 'echo func-a.azurewebsites.net', [KEYS]: 'echo top-secret' });
    fake('curl', CURL);
    expect(sweep('func-a')).toMatchObject({ status: 0 });
    expect(callsOf('curl')).toEqual([expect.stringMatching(/https:\/\/func-a\.azurewebsites\.net\/api\/sweep$/)]);
    expect(callsOf('curl')[0]).not.toContain('top-secret');
    expect(readFileSync(inFolder('curl.stdin'), 'utf8')).toBe('header = "x-functions-key: top-secret"\n');
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
    // The waits of ten minutes end after six looks instead of sixty.
    fake('sleep', 'read -r now < "$FAKES/now"; echo $((now + 100)) > "$FAKES/now"');
    expect(sweep().status).not.toBe(0);
    expect(sweep('a').status).not.toBe(0);
  });
});
