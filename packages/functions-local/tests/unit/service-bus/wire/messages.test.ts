import rhea from 'rhea';
import { describe, expect, test } from 'vitest';
import type { StoredMessage } from '../../../../src/service-bus/broker/stored-message.ts';
import { readIncomingBatch, readIncomingMessage } from '../../../../src/service-bus/wire/incoming-message.ts';
import { mergeApplicationProperties, writeOutgoingMessage } from '../../../../src/service-bus/wire/outgoing-message.ts';

const { types } = rhea;

function encode(fields: Record<string, unknown>): Buffer {
  return rhea.message.encode({ body: rhea.message.data_section(Buffer.from('body')), ...fields });
}

function stored(bytes: Buffer, changes: Partial<StoredMessage> = {}): StoredMessage {
  const { durable, priority, annotations, bare } = readIncomingMessage(bytes);
  return {
    row: 1,
    sequence: 7,
    enqueuedSequence: 5,
    enqueuedAt: 1000,
    dueAt: undefined,
    ttlMs: undefined,
    expiresAt: undefined,
    deliveries: 2,
    durable,
    priority,
    annotations,
    bare,
    state: 'ready',
    ...changes,
  };
}

describe('the header of the sender', () => {
  test.for([
    [{ durable: false, priority: 9 }],
    [{ durable: true, priority: 0 }],
    [{ durable: true, priority: 4, ttl: 250 }],
  ])('is passed through: %o', ([header = {}]) => {
    const bytes = writeOutgoingMessage(stored(encode({ message_id: 'm', ...header })), {});
    const { durable, priority } = rhea.message.decode(bytes);
    expect({ durable, priority }).toMatchObject({ durable: header.durable, priority: header.priority });
  });

  test('is durable and has no priority by default', () => {
    const bytes = writeOutgoingMessage(stored(encode({ message_id: 'm' })), {});
    expect(rhea.message.decode(bytes)).toMatchObject({ durable: true });
    expect(rhea.message.decode(bytes).priority).toBeUndefined();
  });
});

describe('an incoming message', () => {
  test('has its id, time to live and due time', () => {
    const message_annotations = { 'x-opt-scheduled-enqueue-time': new Date(5000) };

    const message = readIncomingMessage(encode({ message_id: 'm', ttl: 250, message_annotations }));

    expect(message).toMatchObject({ messageId: 'm', ttlMs: 250, scheduledAt: 5000 });
  });

  test.for([
    ['without properties', {}],
    ['with other properties', { subject: 's', correlation_id: 'c' }],
    ['with an empty id', { message_id: '', subject: 's' }],
  ] as const)('%s gets an id and keeps the rest', ([, fields]) => {
    const message = readIncomingMessage(encode(fields));

    expect(message.messageId).toMatch(/^[0-9a-f]{32}$/);
    expect(rhea.message.decode(message.bare)).toMatchObject({ ...fields, message_id: message.messageId });
  });

  test('provides its properties with lower-case names to filters', () => {
    const application_properties = { Colour: 'red', big: types.wrap_long(2 ** 40), at: new Date(1), none: null };

    const { subject } = readIncomingMessage(encode({ message_id: 'm', subject: 's', application_properties }));

    expect(subject.system).toMatchObject({ label: 's', messageid: 'm', to: null });
    expect(Object.fromEntries(subject.application)).toEqual({
      colour: 'red',
      big: 2 ** 40,
      at: new Date(1),
      none: null,
    });
  });

  test.for([[Buffer.of(1, 2, 3)], [Buffer.of(0, 0x53, 0x75, 0xa0, 9, 1)], [Buffer.of(0, 0x53, 0x73, 0x10)]])(
    'bytes that are not a message are refused: %o',
    ([bytes]) => {
      expect(() => readIncomingMessage(bytes ?? Buffer.alloc(0))).toThrow();
    },
  );

  test('a batch contains its messages in data sections, and its own properties are ignored', () => {
    const parts = [encode({ message_id: 'a' }), encode({ message_id: 'b', subject: 'x'.repeat(300) })];
    const batch = rhea.message.encode({ message_id: 'a', body: rhea.message.data_sections(parts) });

    expect(readIncomingBatch(batch).map(({ messageId }) => messageId)).toEqual(['a', 'b']);
  });
});

describe('an outgoing message', () => {
  test("has the broker's header and annotations in addition to the sender's", () => {
    const message_annotations = { 'x-opt-partition-key': 'p', 'x-opt-sequence-number': 99, own: 'x' };
    const message = stored(encode({ message_id: 'm', ttl: 1, message_annotations }), { ttlMs: 60_000 });

    const decoded = rhea.message.decode(writeOutgoingMessage(message, { lockedUntil: 2000 }));

    expect(decoded).toMatchObject({ message_id: 'm', ttl: 60_000, delivery_count: 2 });
    expect(decoded.message_annotations).toEqual({
      'x-opt-partition-key': 'p',
      own: 'x',
      'x-opt-sequence-number': 7,
      'x-opt-enqueued-time': new Date(1000),
      'x-opt-enqueue-sequence-number': 5,
      'x-opt-locked-until': new Date(2000),
    });
  });

  test('keeps properties and body byte by byte', () => {
    const body = { count: types.wrap_ubyte(1), id: types.wrap_uuid(Buffer.alloc(16, 3)) };
    const bare = rhea.message.encode({ message_id: 'm', application_properties: { a: types.wrap_short(1) }, body });

    const bytes = writeOutgoingMessage(stored(bare), {});

    const properties = bare.indexOf(Buffer.of(0x00, 0x53, 0x73));
    expect(bytes.subarray(-(bare.length - properties)).equals(bare.subarray(properties))).toBe(true);
  });

  test('can have application properties set, and the others keep their types', () => {
    const application_properties = { kept: types.wrap_short(1), changed: 'before' };
    const { bare } = stored(encode({ message_id: 'm', application_properties }));

    const merged = mergeApplicationProperties(bare, { changed: 'after', flag: true, n: -2, f: 0.5, none: null });

    const decoded = rhea.message.decode(merged);
    expect(decoded.application_properties).toEqual({
      kept: 1,
      changed: 'after',
      flag: true,
      n: -2,
      f: 0.5,
      none: null,
    });
    expect(merged.includes(Buffer.of(0x61, 0, 1))).toBe(true);

    expect(decoded.body.content.toString()).toBe('body');
  });

  test('refuses properties that no message can contain', () => {
    const { bare } = stored(encode({ message_id: 'm' }));

    expect(() => mergeApplicationProperties(bare, { bad: { nested: 1 } })).toThrow(/as application property, got/);
  });
});
