import { expect, test } from 'vitest';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';

/** Runs that end when they are told to, and note when they begin. */
function runs() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const fails = new Map<string, (error: Error) => void>();
  return {
    begun,
    run: (name: string) => (): Promise<string> => {
      begun.push(name);
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      ends.set(name, () => resolve(name));
      fails.set(name, reject);
      return promise;
    },
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await settled();
    },
    fail: async (name: string): Promise<void> => {
      fails.get(name)?.(new Error(name));
      await settled();
    },
  };
}
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('many hold it together', async () => {
  const { begun, run } = runs();
  const lock = createSharedLock();

  void lock.shared(run('a'));
  void lock.shared(run('b'));
  await settled();

  expect(begun).toEqual(['a', 'b']);
});

test('one that wants to be alone waits for those before it, and those behind it wait for it', async () => {
  const { begun, run, end } = runs();
  const lock = createSharedLock();
  void lock.shared(run('a'));
  void lock.shared(run('b'));
  void lock.alone(run('suspect'));
  void lock.shared(run('c'));
  await settled();

  await end('a');
  const whileBRuns = [...begun];
  await end('b');
  const alone = [...begun];
  await end('suspect');

  expect(whileBRuns).toEqual(['a', 'b']);
  expect(alone).toEqual(['a', 'b', 'suspect']);
  expect(begun).toEqual(['a', 'b', 'suspect', 'c']);
});

test('two that want to be alone are so one after the other', async () => {
  const { begun, run, end } = runs();
  const lock = createSharedLock();
  void lock.alone(run('first'));
  void lock.alone(run('second'));
  await settled();
  const before = [...begun];
  await end('first');

  expect(before).toEqual(['first']);
  expect(begun).toEqual(['first', 'second']);
});

test('one that fails tells its caller, and holds up nobody', async () => {
  const { begun, run, fail } = runs();
  const lock = createSharedLock();
  const failing = expect(lock.alone(run('bad'))).rejects.toThrow('bad');
  void lock.shared(run('next'));
  await settled();
  await fail('bad');
  await failing;

  expect(begun).toEqual(['bad', 'next']);
});
