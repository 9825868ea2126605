import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReadyQueue } from '../../../../src/service-bus/broker/ready-queue.ts';
import type { StoredMessage } from '../../../../src/service-bus/broker/stored-message.ts';

function message(sequence: number, state: StoredMessage['state'] = 'ready'): StoredMessage {
  return { sequence, state } as StoredMessage;
}

function drain(queue: ReadyQueue): number[] {
  const sequences: number[] = [];
  for (let next = queue.take(); next; next = queue.take()) sequences.push(next.sequence);
  return sequences;
}

test('messages are returned by ascending sequence number, in any order of insertion', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat()), (sequences) => {
      const queue = new ReadyQueue();
      for (const sequence of sequences) queue.push(message(sequence));

      expect(drain(queue)).toEqual([...sequences].sort((a, b) => a - b));
    }),
  );
});

test('messages that were removed while waiting are skipped', () => {
  const queue = new ReadyQueue();
  for (const each of [message(1, 'removed'), message(2), message(3, 'delivered'), message(4)]) queue.push(each);

  expect(drain(queue)).toEqual([2, 4]);
});
