import { describe, expect, test } from 'vitest';
import {
  addSpent,
  asInvocation,
  charge,
  chargeBatches,
  forBatch,
  forNewBatch,
  spentSoFar,
} from '../../../shared/cost/account.ts';
import { createOverhead } from '../../../shared/cost/overhead.ts';

const spend = async (n: number): Promise<void> => addSpent({ 'blob.get': n });
const WRITE = { 'table.update': 1 };

describe('an account', () => {
  test('of a batch has what was spent for it, also in another call and side by side with another batch', async () => {
    await asInvocation(async () => {
      await spend(100);
      await Promise.all([forBatch('a', () => spend(1)), forBatch('b', () => spend(10)), forBatch('a', () => spend(2))]);

      expect(await forBatch('a', async () => charge(WRITE).operations)).toEqual({ 'blob.get': 3, 'table.update': 1 });
      expect(chargeBatches(['b', 'a', 'b']).operations).toEqual({ 'blob.get': 13 });
    });
  });

  test('keeps what was charged until it is stored, for a write that is repeated', async () => {
    const overhead = createOverhead();
    await overhead.within('drains', () =>
      forBatch('a', async () => {
        await spend(1);
        expect(charge(WRITE).operations).toEqual({ 'blob.get': 1, 'table.update': 1 });
        addSpent(WRITE);
        const again = charge(WRITE);
        expect(again.operations).toEqual({ 'blob.get': 1, 'table.update': 2 });
        addSpent(WRITE);
        again.stored();
        expect(charge().operations).toEqual({});
      }),
    );

    expect(overhead.totals().drains).toEqual({ 'blob.get': 0, 'table.update': 0 });
  });

  test('does not charge again what an earlier write has stored in advance', async () => {
    await asInvocation(() =>
      forBatch('a', async () => {
        const last = charge({ ...WRITE, 'table.delete': 1 });
        addSpent(WRITE);
        last.stored();
        expect(charge(WRITE).operations).toEqual(WRITE);
        addSpent({ 'table.delete': 1 });
        expect(spentSoFar()).toEqual({ 'table.update': 0, 'table.delete': 0 });
      }),
    );
  });

  test('of a batch without an id yet is separate from the other work of its caller', async () => {
    await asInvocation(async () => {
      await spend(5);
      expect(await forNewBatch(() => spend(1).then(() => charge().operations))).toEqual({ 'blob.get': 1 });
    });
  });

  test('outside of an invocation is empty, and the work runs', async () => {
    expect(await forBatch('a', () => spend(1).then(() => charge(WRITE).operations))).toEqual({});
    expect([await forNewBatch(async () => 7), spentSoFar(), chargeBatches(['a']).operations]).toEqual([7, {}, {}]);
  });
});

describe('the overhead', () => {
  test('has what an invocation has not stored, by name, also if it throws, and what it leaves running', async () => {
    const overhead = createOverhead();
    let later: () => void = () => {};
    const failing = overhead.within('sweep', async () => {
      await spend(1);
      await forBatch('a', async () => {
        await spend(10);
        charge().stored();
      });
      void new Promise<void>((resolve) => {
        later = resolve;
      }).then(() => spend(2));
      throw new Error('expected');
    });
    await expect(failing).rejects.toThrow('expected');
    await overhead.within('inbox', () => spend(4));
    later();
    await null;

    expect(overhead.totals()).toEqual({
      requests: {},
      drains: {},
      sweep: { 'blob.get': 3 },
      inbox: { 'blob.get': 4 },
    });
  });

  test('of an invocation within another one is counted once', async () => {
    const overhead = createOverhead();
    await overhead.within('requests', async () => {
      await spend(1);
      await overhead.within('sweep', () => spend(2));
    });

    expect(overhead.totals()).toMatchObject({ requests: { 'blob.get': 1 }, sweep: { 'blob.get': 2 } });
  });
});
