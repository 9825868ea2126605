import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fixture, refusalOf, type SdkClient, startFixture } from './fixture.ts';
import { callRaw } from './raw.ts';

let fixture: Fixture;
let client: SdkClient;
beforeAll(async () => {
  fixture = await startFixture();
  client = await fixture.add();
});
afterAll(() => fixture.stop());

test('a message is received as it was put', async () => {
  const queue = await client.queue('round-trip');
  const text = 'a & <b> "c" \u20AC \u{1F600}';
  await queue.sendMessage(text);
  const { receivedMessageItems } = await queue.receiveMessages();
  expect(receivedMessageItems.map(({ messageText }) => messageText)).toEqual([text]);
});

test('a message can be empty, also after an update', async () => {
  const queue = await client.queue('empty');
  const { messageId, popReceipt } = await queue.sendMessage('x');
  await queue.updateMessage(messageId, popReceipt, '');
  await queue.sendMessage('');
  const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 2 });
  expect(receivedMessageItems.map(({ messageText }) => messageText)).toEqual(['', '']);
});

test.each(['\uFFFF', '\uFFFE', '\u0001'])('a character that is not in XML 1.0 is refused: %j', async (char) => {
  const queue = await client.queue('characters');
  const refusal = await refusalOf(queue.sendMessage(`a ${char} b`));
  expect(refusal).toMatchObject({ status: 400, code: 'InvalidXmlDocument' });
  expect((await queue.getProperties()).approximateMessagesCount).toBe(0);
});

test('the location of the error is in the body', async () => {
  await client.queue('places');
  const body = '<QueueMessage>\n<MessageText>a\uFFFF</MessageText></QueueMessage>';
  const answer = await callRaw(client.ports, { service: 'queue', method: 'POST', path: 'places/messages', body });
  expect(answer).toMatchObject({ status: 400, code: 'InvalidXmlDocument', rule: 'message-xml' });
  expect(answer.text).toContain('<LineNumber>2</LineNumber><LinePosition>15</LinePosition>');
});

test('text of more than 64 KiB in encoded form, and a body of more than 131,584 bytes', async () => {
  const queue = await client.queue('sizes');
  await queue.sendMessage('x'.repeat(65_536));
  expect(await refusalOf(queue.sendMessage('x'.repeat(65_537)))).toMatchObject({
    status: 400,
    code: 'MessageTooLarge',
  });
  expect(await refusalOf(queue.sendMessage('&'.repeat(20_000)))).toMatchObject({
    status: 400,
    code: 'MessageTooLarge',
  });
  expect(await refusalOf(queue.sendMessage('x'.repeat(131_584)))).toMatchObject({
    status: 413,
    code: 'RequestBodyTooLarge',
  });
  // The connection still serves the next call.
  await queue.sendMessage('x');
});

test('an expired pop receipt results in MessageNotFound', async () => {
  const queue = await client.queue('receipts');
  await queue.sendMessage('x');
  const [message] = (await queue.receiveMessages({ visibilityTimeout: 60 })).receivedMessageItems;
  const { messageId = '', popReceipt: dead = '' } = message ?? {};
  const { popReceipt = '' } = await queue.updateMessage(messageId, dead, 'y', 60);
  const notFound = { status: 404, code: 'MessageNotFound' };
  expect(await refusalOf(queue.updateMessage(messageId, dead, 'z', 60))).toMatchObject(notFound);
  expect(await refusalOf(queue.deleteMessage(messageId, dead))).toMatchObject(notFound);
  await queue.deleteMessage(messageId, popReceipt);
  expect(await refusalOf(queue.deleteMessage(messageId, popReceipt))).toMatchObject(notFound);
});

test('a message is not deleted with the receipt of another one', async () => {
  const queue = await client.queue('own-receipts');
  await queue.sendMessage('a');
  await queue.sendMessage('b');
  const [a, b] = (await queue.receiveMessages({ numberOfMessages: 2, visibilityTimeout: 60 })).receivedMessageItems;
  const { messageId = '', popReceipt = '' } = a ?? {};
  const others = queue.deleteMessage(messageId, b?.popReceipt ?? '');
  expect(await refusalOf(others)).toMatchObject({ status: 404, code: 'MessageNotFound' });
  await queue.deleteMessage(messageId, popReceipt);
  const updated = await queue.updateMessage(b?.messageId ?? '', b?.popReceipt ?? '', 'c', 60);
  await queue.deleteMessage(b?.messageId ?? '', updated.popReceipt ?? '');
  expect((await queue.getProperties()).approximateMessagesCount).toBe(0);
});

test('ranges of numbers', async () => {
  const queue = await client.queue('ranges');
  const outOfRange = { status: 400, code: 'OutOfRangeQueryParameterValue' };
  expect(await refusalOf(queue.receiveMessages({ numberOfMessages: 33 }))).toMatchObject(outOfRange);
  expect(await refusalOf(queue.peekMessages({ numberOfMessages: 0 }))).toMatchObject(outOfRange);
  expect(await refusalOf(queue.receiveMessages({ visibilityTimeout: 604_801 }))).toMatchObject(outOfRange);
  expect(await refusalOf(queue.sendMessage('x', { messageTimeToLive: 0 }))).toMatchObject(outOfRange);
  const tooLong = queue.sendMessage('x', { visibilityTimeout: 604_800 });
  expect(await refusalOf(tooLong)).toMatchObject({ status: 400, code: 'InvalidQueryParameterValue' });
  await queue.sendMessage('x', { visibilityTimeout: 604_800, messageTimeToLive: -1 });
});

test('names, metadata, and the name of a queue that is being deleted', async () => {
  const queue = await client.queue('gone-soon');
  expect(await refusalOf(queue.setMetadata({ 'a-b': 'x' }))).toMatchObject({ status: 400, code: 'InvalidMetadata' });
  expect(await refusalOf(queue.setMetadata({ a: 'x'.repeat(8_192) }))).toMatchObject({ code: 'MetadataTooLarge' });
  expect(await refusalOf(client.queue('a--b'))).toMatchObject({ status: 400, code: 'InvalidResourceName' });
  await queue.delete();
  expect(await refusalOf(queue.create())).toMatchObject({ status: 409, code: 'QueueBeingDeleted' });
  expect(await refusalOf(queue.sendMessage('x'))).toMatchObject({ status: 404, code: 'QueueNotFound' });
});
