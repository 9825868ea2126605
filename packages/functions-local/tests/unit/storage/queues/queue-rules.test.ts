import { describe, expect, test } from 'vitest';
import { QUEUE_RULES } from '../../../../src/storage/queues/queue-rules.ts';
import { type Given, refusedBy, requestOf } from '../requests.ts';

const XML = 'message-xml 400 InvalidXmlDocument';
const message = (text: string): string => `<QueueMessage><MessageText>${text}</MessageText></QueueMessage>`;
const put = (text: string, query = ''): Given => ({
  method: 'POST',
  path: `work/messages${query}`,
  body: message(text),
});
const refused = (given: Given): string | undefined => refusedBy(QUEUE_RULES, requestOf('queue', given));

describe('the text of a message', () => {
  test.each([
    ['plain text', 'hello', undefined],
    ['tab, line feed, carriage return', '\t\n\r', undefined],
    ['the last characters before the surrogates and the non-characters', '\uD7FF\uE000\uFFFD', undefined],
    ['a character beyond the basic plane', '\u{1F600}\u{10FFFF}', undefined],
    ['entities and references', '&amp;&lt;&gt;&quot;&apos;&#65;&#x1F600;', undefined],
    ['U+0000', '\u0000', XML],
    ['U+001F', '\u001F', XML],
    ['U+FFFE', '\uFFFE', XML],
    ['U+FFFF inside text', 'a \uFFFF b', XML],
    ['a reference to U+0001', '&#1;', XML],
    ['a reference to U+FFFF', '&#xFFFF;', XML],
    ['a reference beyond Unicode', '&#x110000;', XML],
    ['an unknown entity', '&nbsp;', XML],
    ['an ampersand alone', 'a & b', XML],
    ['an ampersand after a reference', '&amp;&', XML],
    ['markup', 'a <b>c</b>', XML],
  ])('is accepted or refused as on Azure: %s', (_title, text, expected) => {
    expect(refused(put(text))).toBe(expected);
  });

  test('a declaration and white space around the elements are accepted', () => {
    const body = `<?xml version="1.0" encoding="utf-8"?>\n<QueueMessage>\n <MessageText>x</MessageText>\n</QueueMessage>\n`;
    expect(refused({ ...put(''), body })).toBeUndefined();
  });

  test.each(['<MessageText/>', '<MessageText />', '<MessageText></MessageText>'])('empty text: %s', (element) => {
    const body = `<QueueMessage>${element}</QueueMessage>`;
    expect(refused({ ...put(''), body })).toBeUndefined();
    expect(refused({ path: 'work/messages/id?popreceipt=x&visibilitytimeout=0', body })).toBeUndefined();
    expect(refused({ ...put(''), body: `<QueueMessage>${element}x</QueueMessage>` })).toBe(XML);
  });

  test('bytes that are not UTF-8', () => {
    expect(refused({ ...put(''), body: Buffer.concat([Buffer.from(message('x')), Buffer.from([0xc3])]) })).toBe(XML);
  });

  test('64 KiB in encoded form, and one byte more', () => {
    expect(refused(put('a'.repeat(65_536)))).toBeUndefined();
    expect(refused(put('a'.repeat(65_537)))).toBe('message-size 400 MessageTooLarge');
    expect(refused(put('&amp;'.repeat(13_108)))).toBe('message-size 400 MessageTooLarge');
    expect(refused(put('\u20AC'.repeat(21_846)))).toBe('message-size 400 MessageTooLarge');
  });

  test('an update without a body keeps the text', () => {
    const update = { path: 'work/messages/id?popreceipt=x&visibilitytimeout=0', body: '' };
    expect(refused(update)).toBeUndefined();
  });
});

describe('numbers', () => {
  const OUT = 'OutOfRangeQueryParameterValue';
  test.each([
    ['GET', '?numofmessages=1', undefined],
    ['GET', '?numofmessages=32&visibilitytimeout=604800', undefined],
    ['GET', '?numofmessages=0', `receive-count 400 ${OUT}`],
    ['GET', '?numofmessages=33', `receive-count 400 ${OUT}`],
    ['GET', '?peekonly=true&numofmessages=33', `receive-count 400 ${OUT}`],
    ['GET', '?visibilitytimeout=0', `receive-visibility 400 ${OUT}`],
    ['GET', '?visibilitytimeout=604801', `receive-visibility 400 ${OUT}`],
    ['GET', '?visibilitytimeout=1.5', `receive-visibility 400 ${OUT}`],
    ['POST', '?visibilitytimeout=604801', `put-visibility 400 ${OUT}`],
    ['POST', '?visibilitytimeout=-1', `put-visibility 400 ${OUT}`],
    ['POST', '?messagettl=-1&visibilitytimeout=604800', undefined],
    ['POST', '?messagettl=0', `put-time-to-live 400 ${OUT}`],
    ['POST', '?messagettl=-2', `put-time-to-live 400 ${OUT}`],
    ['POST', '?messagettl=9000000', undefined],
    ['POST', '?visibilitytimeout=604800', 'put-visibility-below-ttl 400 InvalidQueryParameterValue'],
    ['POST', '?messagettl=60&visibilitytimeout=60', 'put-visibility-below-ttl 400 InvalidQueryParameterValue'],
    ['POST', '?messagettl=60&visibilitytimeout=59', undefined],
  ])('%s messages%s: refused by %s (undefined: accepted)', (method, query, expected) => {
    expect(refused({ ...put('x', query), method })).toBe(expected);
  });
});

describe('names and metadata', () => {
  test.each([
    ['abc', undefined],
    ['a-1-b', undefined],
    ['9lives', undefined],
    ['a'.repeat(63), undefined],
    ['ab', 'queue-name 400 OutOfRangeInput'],
    ['a'.repeat(64), 'queue-name 400 OutOfRangeInput'],
    ['Abc', 'queue-name 400 InvalidResourceName'],
    ['a--b', 'queue-name 400 InvalidResourceName'],
    ['-abc', 'queue-name 400 InvalidResourceName'],
    ['abc-', 'queue-name 400 InvalidResourceName'],
    ['a%7Cb', 'queue-name 400 InvalidResourceName'],
    ['a_b', 'queue-name 400 InvalidResourceName'],
  ])('queue %s: refused by %s (undefined: accepted)', (path, expected) => {
    expect(refused({ path })).toBe(expected);
  });

  test.each([
    [{ 'x-ms-meta-a_1': 'x' }, undefined],
    [{ 'x-ms-meta-a-b': 'x' }, 'queue-metadata-names 400 InvalidMetadata'],
    [{ 'x-ms-meta-1a': 'x' }, 'queue-metadata-names 400 InvalidMetadata'],
    [{ 'x-ms-meta-a': 'caf\u00e9' }, 'queue-metadata-names 400 InvalidMetadata'],
    [{ 'x-ms-meta-a': 'x', 'X-MS-META-A': 'y' }, 'queue-metadata-names 400 InvalidMetadata'],
    [{ 'x-ms-meta-a': 'x'.repeat(8_191) }, undefined],
    [{ 'x-ms-meta-a': 'x'.repeat(8_192) }, 'queue-metadata-size 400 MetadataTooLarge'],
  ])('metadata %j: refused by %s (undefined: accepted)', (headers, expected) => {
    expect(refused({ path: 'work?comp=metadata', headers })).toBe(expected);
  });
});
