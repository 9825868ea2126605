import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { holdLease, type Lease, type LeaseQueue } from '../../../shared/processing/lease.ts';
import { messageOf, serviceError } from '../../helpers/data/factories.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MARKED = { starts: 1 };

/** Returns a new receipt for each update with the newest one, and refuses all others. */
function queue(...refuse: Parameters<typeof serviceError> | []) {
  const calls: string[] = [];
  let receipt = 1;
  const [status, code] = refuse;
  const check = (given: string): void => {
    if (status !== undefined) throw serviceError(status, code);
    if (given !== `r${receipt}`) throw serviceError(400, 'PopReceiptMismatch');
  };
  const lease: LeaseQueue = {
    updateMessage: (async (id: string, given: string, text: string | undefined, seconds: number) => {
      calls.push(`update ${id} ${text ?? '-'} ${seconds}`);
      check(given);
      receipt += 1;
      return { popReceipt: `r${receipt}` };
    }) as unknown as LeaseQueue['updateMessage'],
    deleteMessage: (async (id: string, given: string) => {
      calls.push(`delete ${id} ${given}`);
      check(given);
    }) as unknown as LeaseQueue['deleteMessage'],
  };
  return { lease, calls };
}

test('messages are renewed at half of their timeout, until the lease ends', async () => {
  const { lease, calls } = queue();
  const held = holdLease(lease, [messageOf('text')], 300);

  await vi.advanceTimersByTimeAsync(149_000);
  const before = [...calls];
  await vi.advanceTimersByTimeAsync(152_000);
  held.end();
  await vi.advanceTimersByTimeAsync(600_000);

  expect(before).toEqual([]);
  expect(calls).toEqual(['update m1 - 300', 'update m1 - 300']);
});

test('the newest receipt is used, and a deleted message is not renewed', async () => {
  const { lease, calls } = queue();
  const held = holdLease(lease, [messageOf('text')], 300);

  expect(await held.rewrite('m1', MARKED)).toBe(true);
  await held.delete('m1');
  await vi.advanceTimersByTimeAsync(600_000);
  held.end();

  expect(calls).toEqual(['update m1 {"starts":1} 300', 'delete m1 r2']);
});

test.each([
  [404, 'MessageNotFound'],
  [400, 'PopReceiptMismatch'],
])('a receipt refused with %i %s means that another worker has the message', async (status, code) => {
  const { lease, calls } = queue(status, code);
  const held = holdLease(lease, [messageOf('text')], 300);

  expect(await held.rewrite('m1', MARKED)).toBe(false);
  await expect(held.delete('m1')).resolves.toBeUndefined();
  held.end();

  expect(calls).toEqual(['update m1 {"starts":1} 300']);
});

test('a text that the service refuses is an error, and the lease is kept', async () => {
  const { lease, calls } = queue(400, 'InvalidXmlDocument');
  const held = holdLease(lease, [messageOf('text')], 300);

  await expect(held.rewrite('m1', MARKED)).rejects.toThrow('400');
  held.end();

  expect(calls).toEqual(['update m1 {"starts":1} 300']);
});

test('an error of the service does not end the lease', async () => {
  const { lease, calls } = queue(503, 'ServerBusy');
  const held = holdLease(lease, [messageOf('text')], 300);

  await expect(held.rewrite('m1', MARKED)).rejects.toThrow('503');
  await expect(held.delete('m1')).rejects.toThrow('503');
  held.end();

  expect(calls).toEqual(['update m1 {"starts":1} 300', 'delete m1 r1']);
});

test('a message that was returned to the queue is not deleted', async () => {
  const { lease, calls } = queue();
  const held = holdLease(lease, [messageOf('text')], 300);

  await held.returnToQueue('m1', 5);
  await held.delete('m1');
  held.end();

  expect(calls).toEqual(['update m1 - 5']);
});

describe('while a renewal is in progress', () => {
  /**
   * The queue has already made or refused the change of the first update. The caller receives the answer after `answer`.
   */
  function slowAnswer({ lease, calls }: ReturnType<typeof queue>) {
    const { promise, resolve: answer } = Promise.withResolvers<void>();
    const slow = (async (...args: Parameters<LeaseQueue['updateMessage']>) => {
      const isFirst = calls.length === 0;
      try {
        return await lease.updateMessage(...args);
      } finally {
        if (isFirst) await promise;
      }
    }) as LeaseQueue['updateMessage'];
    return { lease: { ...lease, updateMessage: slow }, calls, answer };
  }

  /**
   * Calls `use` during a renewal, then answers the renewal, and returns the result of `use` and all calls of the queue.
   */
  async function duringRenewal<T>(use: (held: Lease) => Promise<T>, own = queue()) {
    const { lease, calls, answer } = slowAnswer(own);
    const held = holdLease(lease, [messageOf('text')], 300);
    await vi.advanceTimersByTimeAsync(150_000);
    const used = use(held);
    await vi.advanceTimersByTimeAsync(1_000);
    const before = [...calls];
    answer();
    const value = await used;
    held.end();
    return { before, calls, value };
  }
  const RENEWED = 'update m1 - 300';

  test('a message is deleted after the renewal, with its new receipt', async () => {
    const { before, calls } = await duringRenewal((held) => held.delete('m1'));

    expect([before, calls]).toEqual([[RENEWED], [RENEWED, 'delete m1 r2']]);
  });

  test('a message is rewritten after the renewal, and the lease is kept', async () => {
    const { before, calls, value } = await duringRenewal(async (held) => {
      const isHeld = await held.rewrite('m1', MARKED);
      await held.delete('m1');
      return isHeld;
    });

    expect(value).toBe(true);
    expect([before, calls]).toEqual([[RENEWED], [RENEWED, 'update m1 {"starts":1} 300', 'delete m1 r3']]);
  });

  test('a message is returned to the queue after the renewal, and then neither deleted nor renewed', async () => {
    const { calls } = await duringRenewal(async (held) => {
      await Promise.all([held.returnToQueue('m1', 5), held.delete('m1')]);
      await vi.advanceTimersByTimeAsync(600_000);
    });

    expect(calls).toEqual([RENEWED, 'update m1 - 5']);
  });

  test('no other renewal begins', async () => {
    const { before, calls } = await duringRenewal(() => vi.advanceTimersByTimeAsync(160_000));

    expect([before, calls]).toEqual([[RENEWED], [RENEWED]]);
  });

  test('a message whose lease turns out to be lost is neither rewritten nor deleted', async () => {
    const { calls, value } = await duringRenewal(
      async (held) => {
        const isHeld = await held.rewrite('m1', MARKED);
        await held.delete('m1');
        return isHeld;
      },
      queue(404, 'MessageNotFound'),
    );

    expect([value, calls]).toEqual([false, [RENEWED]]);
  });

  test('a failed renewal keeps the previous receipt', async () => {
    const { calls } = await duringRenewal(
      (held) => expect(held.delete('m1')).rejects.toThrow('503'),
      queue(503, 'ServerBusy'),
    );

    expect(calls).toEqual([RENEWED, 'delete m1 r1']);
  });
});
