import { expect, test } from 'vitest';
import { createSharedLock } from '../../../shared/processing/shared-lock.ts';
import { NoSlotError } from '../../../shared/slots.ts';

/** Runs that end when the test ends them, and record that they began. */
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
      await nextTurn();
    },
    fail: async (name: string): Promise<void> => {
      fails.get(name)?.(new Error(name));
      await nextTurn();
    },
  };
}
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('many callers share it', async () => {
  const { begun, run } = runs();
  const lock = createSharedLock();

  void lock.shared(run('a'));
  void lock.shared(run('b'));
  await nextTurn();

  expect(begun).toEqual(['a', 'b']);
});

test('an exclusive caller waits for all before it, and all behind it wait for it', async () => {
  const { begun, run, end } = runs();
  const lock = createSharedLock();
  void lock.shared(run('a'));
  void lock.shared(run('b'));
  void lock.exclusive(run('isolated'));
  void lock.shared(run('c'));
  await nextTurn();

  await end('a');
  const whileBRuns = [...begun];
  await end('b');
  const exclusive = [...begun];
  await end('isolated');

  expect(whileBRuns).toEqual(['a', 'b']);
  expect(exclusive).toEqual(['a', 'b', 'isolated']);
  expect(begun).toEqual(['a', 'b', 'isolated', 'c']);
});

test('two exclusive callers run one after the other', async () => {
  const { begun, run, end } = runs();
  const lock = createSharedLock();
  void lock.exclusive(run('first'));
  void lock.exclusive(run('second'));
  await nextTurn();
  const before = [...begun];
  await end('first');

  expect(before).toEqual(['first']);
  expect(begun).toEqual(['first', 'second']);
});

test('a failure rejects only for its caller, and delays no other', async () => {
  const { begun, run, fail } = runs();
  const lock = createSharedLock();
  const failing = expect(lock.exclusive(run('bad'))).rejects.toThrow('bad');
  void lock.shared(run('next'));
  await nextTurn();
  await fail('bad');
  await failing;

  expect(begun).toEqual(['bad', 'next']);
});

test('an exclusive caller that has waited for too long never runs, and those behind it share the lock with those before it', async () => {
  const { begun, run, end } = runs();
  const lock = createSharedLock();
  void lock.shared(run('before'));
  const late = expect(lock.exclusive(run('late'), 0)).rejects.toThrow(NoSlotError);
  void lock.shared(run('behind'));
  void lock.exclusive(run('last'));
  await late;
  await nextTurn();
  const afterLate = [...begun];
  await end('before');
  const beforeLast = [...begun];
  await end('behind');

  expect(afterLate).toEqual(['before', 'behind']);
  expect(beforeLast).toEqual(['before', 'behind']);
  expect(begun).toEqual(['before', 'behind', 'last']);
});

test('a caller that has waited for too long behind an exclusive one never runs', async () => {
  const { begun, run, end } = runs();
  const lock = createSharedLock();
  void lock.exclusive(run('first'));
  await expect(lock.shared(run('late'), 0)).rejects.toThrow(NoSlotError);
  void lock.exclusive(run('second'));
  await nextTurn();
  await end('first');

  expect(begun).toEqual(['first', 'second']);
});
