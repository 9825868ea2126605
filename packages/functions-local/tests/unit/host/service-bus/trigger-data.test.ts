import type { ServiceBusReceivedMessage } from '@azure/service-bus';
import { describe, expect, it } from 'vitest';
import {
  toBatchData,
  toBatchMetadata,
  toMessageData,
  toMessageMetadata,
} from '../../../../src/host/service-bus/trigger-data.ts';

function message(fields: object): ServiceBusReceivedMessage {
  return { messageId: 'm1', deliveryCount: 0, ...fields } as ServiceBusReceivedMessage;
}

describe('message data', () => {
  it('is the raw body as text, or as bytes on request', () => {
    const received = message({ body: Buffer.from('{"a":1}') });
    expect(toMessageData(received, false)).toEqual({ string: '{"a":1}' });
    expect(toMessageData(received, true)).toEqual({ bytes: Buffer.from('{"a":1}') });
  });

  it('is a collection for a batch', () => {
    const batch = [message({ body: Buffer.from('x') }), message({ body: 'y' })];
    expect(toBatchData(batch, false)).toEqual({ collectionString: { string: ['x', 'y'] } });
  });
});

describe('metadata', () => {
  it('counts deliveries from 1 and omits missing values', () => {
    const received = message({ body: Buffer.from('{"kind":"k","list":[1]}'), enqueuedTimeUtc: new Date(0) });
    expect(toMessageMetadata(received)).toEqual({
      kind: { string: 'k' },
      MessageId: { string: 'm1' },
      DeliveryCount: { json: '1' },
      EnqueuedTimeUtc: { string: '1970-01-01T00:00:00.000Z' },
      EnqueuedTime: { string: '1970-01-01T00:00:00.000Z' },
      ApplicationProperties: { json: '{}' },
      UserProperties: { json: '{}' },
    });
  });

  it("limits the expiry to the end of .NET's calendar", () => {
    const { ExpiresAt } = toMessageMetadata(message({ expiresAtUtc: new Date(922_337_203_685_477) }));
    expect(ExpiresAt).toEqual({ string: '9999-12-31T23:59:59.999Z' });
  });

  it('appends Array to the names for a batch', () => {
    const metadata = toBatchMetadata([message({ deliveryCount: 2 }), message({ messageId: 'm2' })]);
    expect(metadata.MessageIdArray).toEqual({ collectionString: { string: ['m1', 'm2'] } });
    expect(metadata.DeliveryCountArray).toEqual({ json: '[3,1]' });
    expect(metadata.SubjectArray).toBeUndefined();
  });
});
