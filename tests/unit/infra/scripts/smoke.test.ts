import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT } from '../bicep.ts';
import { callsOf, fake, fakeAz, inFolder, type Run, run, SHELLS, useFakeCommands } from './fake-commands.ts';

useFakeCommands();

const SHOW = 'functionapp show';
const SET = 'function keys set';
const REMOVE = 'function keys delete';
const LIST = 'function keys list';

describe.each(SHELLS)('%s smoke.sh', (shell) => {
  const smoke = (env: Record<string, string> = {}): Run =>
    run(shell, 'smoke.sh', ['rg', 'func-a', '--timeout', '9'], env);
  // A function has the key that was set last.
  const SET_BEFORE = `if grep -q '${SET}' "$FAKES/az.calls"; then echo value; fi`;
  const AZ = { [SHOW]: 'echo func-a.azurewebsites.net', [SET]: ':', [REMOVE]: ':', [LIST]: SET_BEFORE };
  const NODE = 'echo "$SLUICE_KEY" > "$FAKES/key"';

  it('runs the smoke test with its own key, which it masks, passes in the environment and removes', () => {
    fakeAz(AZ);
    fake('node', NODE);
    const { status, stdout } = smoke({ GITHUB_ACTIONS: 'true' });
    const key = readFileSync(inFolder('key'), 'utf8').trim();
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect([status, stdout]).toEqual([0, expect.stringContaining(`::add-mask::${key}\n`)]);
    expect(callsOf('node')).toEqual([
      `--conditions=source ${join(ROOT, 'infra/smoke.ts')} --url https://func-a.azurewebsites.net --start-timeout 600 --timeout 9`,
    ]);
    const calls = callsOf('az');
    expect(calls.filter((call) => call.includes(REMOVE))).toHaveLength(
      calls.filter((call) => call.includes(SET)).length,
    );
    expect(calls.filter((call) => /keys (set|delete)/.test(call) && !call.includes('--key-name smoke'))).toEqual([]);
    expect(calls.filter((call) => call.includes('restart'))).toEqual([]);
  });

  it('fails if the smoke test fails, and removes the key', () => {
    fakeAz(AZ);
    fake('node', 'exit 1');
    expect(smoke().status).toBe(1);
    expect(callsOf('az').some((call) => call.includes(REMOVE))).toBe(true);
  });

  it('fails without running the test if no key can be set', () => {
    fakeAz({ ...AZ, [SET]: 'exit 1' });
    fake('node', NODE);
    expect(smoke().status).toBe(1);
    expect(callsOf('node')).toEqual([]);
    expect(callsOf('az').some((call) => call.includes(REMOVE))).toBe(true);
  });

  it('reports a key that it cannot remove', () => {
    fakeAz({ ...AZ, [REMOVE]: 'exit 1' });
    fake('node', NODE);
    const { status, stderr } = smoke();
    expect([status, stderr]).toEqual([
      0,
      expect.stringContaining('npx sluice azure keys rg func-a remove client smoke'),
    ]);
  });
});
