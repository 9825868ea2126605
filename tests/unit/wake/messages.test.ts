import { expect, test } from 'vitest';
import { MalformedMessageError, NewerContractError } from '../../../shared/contract/errors.ts';
import { type Queue, readEntries, receive } from '../../../shared/wake/messages.ts';
import { messageOf, serviceError } from '../../helpers/factories.ts';

function queues() {
  const told: string[] = [];
  const of = (name: string): Queue =>
    ({
      name,
      sendMessage: async (text: string) => void told.push(`put ${name} ${text}`),
      deleteMessage: async (id: string, receipt: string) => void told.push(`delete ${name} ${id} ${receipt}`),
    }) as unknown as Queue;
  return { told, aside: { queue: of('billing-normal-0'), queues: of, workload: 'billing' } };
}

const parse = (text: string): string => {
  if (text === 'malformed') throw new MalformedMessageError('no');
  if (text === 'newer') throw new NewerContractError('Reference', 2);
  return text;
};

test('messages that can be read are, whatever lies beside them', async () => {
  const { aside, told } = queues();
  const texts = ['malformed', 'good', 'newer'];

  const entries = await readEntries(
    texts.map((text) => messageOf(text)),
    parse,
    aside,
  );

  expect(entries.map(({ value }) => value)).toEqual(['good']);
  expect(told).toEqual([]);
});

test('one that nobody can read is put aside at its fifth delivery, before it is deleted', async () => {
  const { aside, told } = queues();

  await readEntries([messageOf('malformed', { dequeueCount: 5 })], parse, aside);

  expect(told).toEqual(['put billing-poison malformed', 'delete billing-normal-0 m1 r1']);
});

test('one of a newer contract is left for a newer consumer, however often it came', async () => {
  const { aside, told } = queues();

  expect(await readEntries([messageOf('newer', { dequeueCount: 99 })], parse, aside)).toEqual([]);
  expect(told).toEqual([]);
});

test('a queue that does not exist yet is empty', async () => {
  const failing = (status: number) =>
    ({ receiveMessages: () => Promise.reject(serviceError(status)) }) as unknown as Queue;

  expect(await receive(failing(404), 32, 300)).toEqual([]);
  await expect(receive(failing(503), 32, 300)).rejects.toThrow('503');
});
