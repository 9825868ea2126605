import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MalformedMessageError, NewerContractError } from '../../../shared/contract/errors.ts';
import { bytesInXml } from '../../../shared/contract/text/text.ts';
import { type Queue, readEntries, receive } from '../../../shared/queues/messages.ts';
import { withLog } from '../../../shared/telemetry/log.ts';
import { messageOf, serviceError } from '../../helpers/data/factories.ts';
import { SILENT_LOG } from '../../helpers/fakes/silent-log.ts';

function queues({ refuse }: { refuse?: number } = {}) {
  const calls: string[] = [];
  const texts: string[] = [];
  const of = (name: string): Queue =>
    ({
      name,
      sendMessage: async (text: string) => {
        if (refuse !== undefined) throw serviceError(refuse);
        texts.push(text);
        calls.push(`put ${name}`);
      },
      deleteMessage: async (id: string, receipt: string) => void calls.push(`delete ${name} ${id} ${receipt}`),
    }) as unknown as Queue;
  return { calls, texts, aside: { queue: of('billing-normal-0'), queues: of, workload: 'billing' } };
}

const parse = (text: string): string => {
  if (text === 'strange') throw new RangeError('Maximum call stack size exceeded');
  if (text.startsWith('malformed')) throw new MalformedMessageError('no');
  if (text === 'newer') throw new NewerContractError('Reference', 2);
  return text;
};

test('readable messages are read even if others are unreadable', async () => {
  const { aside, calls } = queues();
  const texts = ['malformed', 'strange', 'good', 'newer'];

  const entries = await readEntries(
    texts.map((text) => messageOf(text)),
    parse,
    aside,
  );

  expect(entries.map(({ value }) => value)).toEqual(['good']);
  expect(calls).toEqual([]);
});

test('an unreadable message is logged at each earlier delivery, so that its sender need not wait for the fifth', async () => {
  const { aside, calls } = queues();
  const lines: unknown[] = [];
  const warn = (line: string): void => void lines.push(JSON.parse(line));

  await withLog({ ...SILENT_LOG, warn }, () =>
    readEntries([messageOf('malformed', { dequeueCount: 1 })], parse, aside),
  );

  expect(calls).toEqual([]);
  expect(lines).toMatchObject([
    { event: 'message-unreadable', queue: 'billing-normal-0', messageId: 'm1', delivery: 1, error: { message: 'no' } },
  ]);
});

test.each(['malformed', 'strange'])(
  'an unreadable message (%s) is set aside and logged at its fifth delivery, before it is deleted',
  async (text) => {
    const { aside, calls } = queues();
    const error = (line: string): void => void calls.push((JSON.parse(line) as { event: string }).event);

    await withLog({ debug: error, info: error, warn: error, error }, () =>
      readEntries([messageOf(text, { dequeueCount: 5 })], parse, aside),
    );

    expect(calls).toEqual(['put billing-poison', 'poison-message', 'delete billing-normal-0 m1 r1']);
  },
);

test('the copy contains its origin and the reason why it was unreadable', async () => {
  const { aside, texts } = queues();

  await readEntries([messageOf('malformed', { dequeueCount: 5 })], parse, aside);

  expect(texts.map((text) => JSON.parse(text))).toEqual([
    {
      v: 1,
      queue: 'billing-normal-0',
      messageId: 'm1',
      insertedOn: '2026-01-01T00:00:00.000Z',
      reason: 'no',
      characters: 9,
      offset: 0,
      text: 'malformed',
    },
  ]);
});

test('a copy of any content can be stored and reassembled', async () => {
  const unit = fc.nat({ max: 0xffff }).map((code) => String.fromCharCode(code));
  await fc.assert(
    fc.asyncProperty(fc.string({ unit }), fc.nat({ max: 20_000 }), async (text, times) => {
      const { aside, texts } = queues();
      const whole = `malformed ${text}`.repeat(1 + Math.floor(times / (text.length + 10)));

      await readEntries([messageOf(whole, { dequeueCount: 5 })], parse, aside);

      const copies = texts.map((copy) => JSON.parse(copy) as { text: string; offset: number; characters: number });
      expect(copies.map((copy) => copy.text).join('')).toBe(whole);
      for (const [index, copy] of copies.entries()) {
        expect(whole.startsWith(copy.text, copy.offset)).toBe(true);
        expect(copy.characters).toBe(whole.length);
        expect(texts[index]).toMatch(/^[ -~]*$/);
        expect(bytesInXml(texts[index] ?? '')).toBeLessThan(64 * 1024);
      }
    }),
    { numRuns: 30 },
  );
});

test('a message that cannot be set aside stays, and does not hold up others', async () => {
  const { aside, calls } = queues({ refuse: 503 });
  const texts = ['malformed', 'good'];

  const entries = await withLog(SILENT_LOG, () =>
    readEntries(
      texts.map((text) => messageOf(text, { dequeueCount: 5 })),
      parse,
      aside,
    ),
  );

  expect(entries.map(({ value }) => value)).toEqual(['good']);
  expect(calls).toEqual([]);
});

test('a message of a newer contract is left for a newer consumer after any number of deliveries', async () => {
  const { aside, calls } = queues();

  expect(await readEntries([messageOf('newer', { dequeueCount: 99 })], parse, aside)).toEqual([]);
  expect(calls).toEqual([]);
});

test('a queue that does not exist yet is empty', async () => {
  const failing = (status: number) =>
    ({ receiveMessages: () => Promise.reject(serviceError(status)) }) as unknown as Queue;

  expect(await receive(failing(404), 32, 300)).toEqual([]);
  await expect(receive(failing(503), 32, 300)).rejects.toThrow('503');
});
