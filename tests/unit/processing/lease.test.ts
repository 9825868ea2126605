import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { holdLease, type LeaseQueue } from '../../../shared/processing/lease.ts';
import { messageOf, serviceError } from '../../helpers/factories.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MARKED = { starts: 1 };

/** Gives a new receipt for each update of the newest one, and refuses all others. */
function queue(...refuse: Parameters<typeof serviceError> | []) {
  const told: string[] = [];
  let receipt = 1;
  const [status, code] = refuse;
  const check = (given: string): void => {
    if (status !== undefined) throw serviceError(status, code);
    if (given !== `r${receipt}`) throw serviceError(400, 'PopReceiptMismatch');
  };
  const lease: LeaseQueue = {
    updateMessage: (async (id: string, given: string, text: string | undefined, seconds: number) => {
      told.push(`update ${id} ${text ?? '-'} ${seconds}`);
      check(given);
      receipt += 1;
      return { popReceipt: `r${receipt}` };
    }) as unknown as LeaseQueue['updateMessage'],
    deleteMessage: (async (id: string, given: string) => {
      told.push(`delete ${id} ${given}`);
      check(given);
    }) as unknown as LeaseQueue['deleteMessage'],
  };
  return { lease, told };
}

test('messages are renewed at half of their timeout, until the lease ends', async () => {
  const { lease, told } = queue();
  const held = holdLease(lease, [messageOf('text')], 300);

  await vi.advanceTimersByTimeAsync(149_000);
  const before = [...told];
  await vi.advanceTimersByTimeAsync(152_000);
  held.end();
  await vi.advanceTimersByTimeAsync(600_000);

  expect(before).toEqual([]);
  expect(told).toEqual(['update m1 - 300', 'update m1 - 300']);
});

test('the newest receipt is used, and a finished message is renewed no more', async () => {
  const { lease, told } = queue();
  const held = holdLease(lease, [messageOf('text')], 300);

  expect(await held.rewrite('m1', MARKED)).toBe(true);
  await held.finish('m1');
  await vi.advanceTimersByTimeAsync(600_000);
  held.end();

  expect(told).toEqual(['update m1 {"starts":1} 300', 'delete m1 r2']);
});

test.each([
  [404, 'MessageNotFound'],
  [400, 'PopReceiptMismatch'],
])('a receipt refused with %i %s means that somebody else has the message', async (status, code) => {
  const { lease, told } = queue(status, code);
  const held = holdLease(lease, [messageOf('text')], 300);

  expect(await held.rewrite('m1', MARKED)).toBe(false);
  await expect(held.finish('m1')).resolves.toBeUndefined();
  held.end();

  expect(told).toEqual(['update m1 {"starts":1} 300']);
});

test('a text that the service refuses is a fault, and the message stays ours', async () => {
  const { lease, told } = queue(400, 'InvalidXmlDocument');
  const held = holdLease(lease, [messageOf('text')], 300);

  await expect(held.rewrite('m1', MARKED)).rejects.toThrow('400');
  held.end();

  expect(told).toEqual(['update m1 {"starts":1} 300']);
});

test('a service that fails does not cost the lease', async () => {
  const { lease, told } = queue(503, 'ServerBusy');
  const held = holdLease(lease, [messageOf('text')], 300);

  await expect(held.rewrite('m1', MARKED)).rejects.toThrow('503');
  await expect(held.finish('m1')).rejects.toThrow('503');
  held.end();

  expect(told).toEqual(['update m1 {"starts":1} 300', 'delete m1 r1']);
});

test('a message given back is somebody else’s to delete', async () => {
  const { lease, told } = queue();
  const held = holdLease(lease, [messageOf('text')], 300);

  await held.returnToQueue('m1', 5);
  await held.finish('m1');
  held.end();

  expect(told).toEqual(['update m1 - 5']);
});
