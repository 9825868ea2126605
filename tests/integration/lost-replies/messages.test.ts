import { expect, test } from 'vitest';
import { readBatch } from '../../../shared/batches/ledger.ts';
import { MalformedMessageError } from '../../../shared/contract/errors.ts';
import { poisonQueueName } from '../../../shared/contract/names.ts';
import { holdLease } from '../../../shared/processing/lease.ts';
import { MAX_MALFORMED_DELIVERIES, putMessage, readEntries, receive } from '../../../shared/queues/messages.ts';
import { itemsOf } from '../in-process/world.ts';
import { type Lost, useLossy } from './lossy-storage.ts';

const lossy = useLossy();
const PUT: Lost = ['queue', /^POST .*\/messages/];
const GET: Lost = ['queue', /^GET .*\/messages\?/];
const UPDATE: Lost = ['queue', /^PUT .*\/messages\//];
const DELETE: Lost = ['queue', /^DELETE .*\/messages\//];
const CREATE: Lost = ['queue', /^PUT [^?]*\/lost-\d+(\?timeout.*)?$/];
const VISIBILITY_SECONDS = 30;
const CONTENT = { v: 1 };
const TEXT = '{"v":1}';

let queues = 0;
const freshQueue = () => lossy.world.clients.queue(`lost-${queues++}`);

/** A queue with one message, which is received. */
async function held() {
  const queue = freshQueue();
  await putMessage(queue, CONTENT);
  const messages = await receive(queue, 1, VISIBILITY_SECONDS);
  return { queue, id: messages[0]?.messageId ?? '', lease: holdLease(queue, messages, VISIBILITY_SECONDS) };
}
const textsOf = async (queue: ReturnType<typeof freshQueue>) =>
  (await queue.peekMessages({ numberOfMessages: 32 })).peekedMessageItems.map(({ messageText }) => messageText);

test('a queue whose creation was answered too late accepts its first message', async () => {
  const queue = freshQueue();
  lossy.lose(...CREATE);

  await putMessage(queue, CONTENT);

  lossy.assertLost();
  expect(await textsOf(queue)).toEqual([TEXT]);
});

test('a put that was answered too late leaves two messages', async () => {
  const queue = freshQueue();
  await queue.create();
  lossy.lose(...PUT);

  await putMessage(queue, CONTENT);

  lossy.assertLost();
  expect(await textsOf(queue)).toEqual([TEXT, TEXT]);
});

test('a receive that was answered too late leaves its message hidden, with one more delivery', async () => {
  const queue = freshQueue();
  await putMessage(queue, CONTENT);
  lossy.lose(...GET);

  expect(await receive(queue, 1, 1)).toEqual([]);

  lossy.assertLost();
  await expect
    .poll(async () => (await receive(queue, 1, VISIBILITY_SECONDS)).map(({ dequeueCount }) => dequeueCount))
    .toEqual([2]);
});

test('a message whose deletion was answered too late is gone, and that is no error', async () => {
  const { queue, id, lease } = await held();
  lossy.lose(...DELETE);

  await lease.delete(id);
  lease.end();

  lossy.assertLost();
  expect((await queue.getProperties()).approximateMessagesCount).toBe(0);
});

test('a message whose update was answered too late is hidden until its timeout, with its new content', async () => {
  const { queue, id, lease } = await held();
  lossy.lose(...UPDATE);

  expect(await lease.rewrite(id, { starts: 1 })).toBe(false);
  await lease.delete(id);
  lease.end();

  lossy.assertLost();
  expect((await queue.getProperties()).approximateMessagesCount).toBe(1);
});

test('a message whose return to its queue lost the reply is visible to others', async () => {
  const { queue, id, lease } = await held();
  lossy.lose(...UPDATE);

  await lease.returnToQueue(id, 0, { returned: 1 });
  lease.end();

  lossy.assertLost();
  expect(await textsOf(queue)).toEqual(['{"returned":1}']);
});

test('an unreadable message is set aside, and deleted from its queue', async () => {
  const queue = freshQueue();
  await putMessage(queue, CONTENT);
  const [message] = await receive(queue, 1, VISIBILITY_SECONDS);
  const worn = message === undefined ? [] : [{ ...message, dequeueCount: MAX_MALFORMED_DELIVERIES }];
  const unreadable = (): never => {
    throw new MalformedMessageError('no');
  };
  lossy.lose(...DELETE);

  const entries = await readEntries(worn, unreadable, { queue, queues: lossy.world.clients.queue, workload: 'echo' });

  lossy.assertLost();
  expect(entries).toEqual([]);
  expect((await queue.getProperties()).approximateMessagesCount).toBe(0);
  const copies = await textsOf(lossy.world.clients.queue(poisonQueueName('echo')));
  expect(copies.map((copy) => JSON.parse(copy))).toMatchObject([{ queue: queue.name, text: TEXT }]);
});

test.each<[string, Lost, number]>([
  ['reference', ['queue', /^POST .*\/echo-normal-0\/messages/], 1],
  // Both copies are received in the same round, and one is skipped as a repeat.
  ['result', ['queue', /^POST .*\/echo-results\/messages/], 0],
  ['deletion of a reference', ['queue', /^DELETE .*\/echo-normal-0\/messages/], 0],
  ['deletion of a result', ['queue', /^DELETE .*\/echo-results\/messages/], 0],
])('a batch ends exactly, although the answer to a %s was lost', async (_what, lost, duplicates) => {
  const { world } = lossy;
  await world.clients.queue('echo-normal-0').create();
  await world.clients.queue('echo-results').create();
  lossy.lose(...lost);

  const { id } = await world.submit(itemsOf(9));
  await world.drainAll();

  lossy.assertLost();
  const row = (await readBatch(world.clients.batches, id))?.row;
  expect(row).toMatchObject({ state: 'completed', succeeded: 9, dead: 0, chunksDone: 3, announced: true });
  expect(row?.duplicatesSeen).toBe(duplicates);
  expect(world.topic.events.filter(({ type }) => type === 'BatchCompleted')).toHaveLength(1);
});
