import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { callsOf, fake, inFolder, type Run, run, SHELLS, useFakeCommands } from './fake-commands.ts';

useFakeCommands();

/** An az that keeps the keys of each function in a file, and fails at the call with the number in `fails`. */
const AZ = `
set -- $*
while [ $# -gt 0 ]; do
  case $1 in
  keys) verb=$2 ;;
  restart) verb=restart ;;
  --function-name) file="$FAKES/key-$2" ;;
  --key-value) value=$2 ;;
  esac
  shift
done
if [ "$(grep -c 'keys set\\|keys delete\\|restart' "$FAKES/az.calls")" = "$(cat "$FAKES/fails" 2>/dev/null)" ]; then
  [ "$verb" = list ] || { rm "$FAKES/fails"; exit 1; }
fi
case $verb in
list) cat "$file" 2>/dev/null || : ;;
set) printf '%s\\r\\n' "$value" > "$file" ;;
delete) rm "$file" ;;
esac`;

const FIRST = 'submit-batch';
const LAST = 'list-inbox';

describe.each(SHELLS)('%s keys.sh', (shell) => {
  const keys = (action: string, ...more: string[]): Run => {
    fake('az', AZ);
    return run(shell, 'keys.sh', ['rg', 'func-a', action, 'client', 'acme', ...more]);
  };
  const storedValue = (name: string): string => readFileSync(inFolder(`key-${name}`), 'utf8').trim();
  const restarts = (): number => callsOf('az').filter((call) => call.startsWith('functionapp restart')).length;
  const failAt = (call: number): void => writeFileSync(inFolder('fails'), `${call}`);

  it('sets one value on all functions, without a restart', () => {
    const { status, stdout, stderr } = keys('set');
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^[0-9a-f]{64}\n$/);
    expect([storedValue(FIRST), storedValue(LAST)]).toEqual([stdout.trim(), stdout.trim()]);
    expect(restarts()).toBe(0);
  });

  it('replaces the value, and restarts the app, whose instances accept the earlier one until then', () => {
    const before = keys('set').stdout.trim();
    const { stdout, stderr } = keys('set');
    expect([storedValue(FIRST), storedValue(LAST)]).toEqual([stdout.trim(), stdout.trim()]);
    expect(stdout.trim()).not.toBe(before);
    expect([restarts(), stderr]).toEqual([1, expect.stringContaining('restarting func-a')]);
  });

  it('restarts the app after a removal, unless --no-restart is given', () => {
    keys('set');
    expect(keys('remove', '--no-restart')).toMatchObject({ status: 0, stdout: '', stderr: '' });
    expect(restarts()).toBe(0);
    expect(keys('remove').status).toBe(0);
    expect(restarts()).toBe(1);
  });

  it('continues an interrupted `set` with its value', () => {
    failAt(3);
    expect(keys('set')).toMatchObject({ status: 1, stdout: '' });
    const interrupted = storedValue(FIRST);
    const { status, stdout, stderr } = keys('set');
    expect([status, stdout]).toEqual([0, `${interrupted}\n`]);
    expect(stderr).toContain('continues an interrupted call with its value');
    expect(storedValue(LAST)).toBe(interrupted);
  });

  it('continues an interrupted removal, whose value no later `set` uses', () => {
    const removed = keys('set').stdout.trim();
    const calls = callsOf('az').filter((call) => call.includes('keys set')).length;
    failAt(calls + 3);
    expect(keys('remove').status).toBe(1);
    expect(storedValue(LAST)).toBe(removed);
    const { status, stdout } = keys('set');
    expect([status, stdout.trim() === removed, storedValue(LAST)]).toEqual([0, false, stdout.trim()]);
    expect(keys('remove').status).toBe(0);
    expect(() => storedValue(LAST)).toThrow('ENOENT');
  });

  it('restarts the app if the removal was interrupted before that', () => {
    keys('set');
    failAt(2 * callsOf('az').filter((call) => call.includes('keys set')).length + 1);
    expect(keys('remove').status).toBe(1);
    expect(keys('remove').status).toBe(0);
    expect(restarts()).toBe(2);
  });

  it('fails if the keys cannot be listed, and for a name that is no name of a key', () => {
    fake('az', 'echo denied >&2; exit 3');
    expect(run(shell, 'keys.sh', ['rg', 'a', 'remove', 'client', 'acme'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`az could not list the keys of function ${FIRST} of app a`),
    });
    expect(run(shell, 'keys.sh', ['rg', 'a', 'remove', 'client', 'a"b']).status).toBe(2);
  });
});
