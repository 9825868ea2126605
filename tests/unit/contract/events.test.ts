import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MalformedMessageError, NewerContractError } from '../../../shared/contract/errors.ts';
import { eventProperties, readEvent, type SluiceEvent } from '../../../shared/contract/events.ts';

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.v1.json`, import.meta.url), 'utf8'));

/** Reads an event that must have a known type. */
function known(body: unknown): SluiceEvent {
  const event = readEvent(body);
  if (!event) throw new Error('The type is not known.');
  return event;
}

const BATCH_EVENTS = ['event-paused', 'event-resumed', 'event-at-risk', 'event-results'];

test.each(['event-wake', 'event-completed', 'event-rejected', ...BATCH_EVENTS])(
  '%s of version 1 is readable as text and as an object',
  (name) => {
    const body = fixture(name);

    expect(readEvent(body)).toEqual(body);
    expect(readEvent(JSON.stringify(body))).toEqual(body);
  },
);

test('the properties of an event contain what filters need', () => {
  expect(eventProperties(known(fixture('event-wake')))).toEqual({
    type: 'QueueWorkDetected',
    account: 'stsluice',
    pool: 'default',
    queue: 'billing-normal-0',
    workload: 'billing',
    lane: 'normal',
    batch: '01985a00-0000-7000-8000-000000000000',
  });
});

test('an event without a batch has no property for it, because a filter would match an empty one', () => {
  const { batch: _batch, ...body } = fixture('event-wake') as Record<string, unknown>;

  expect(eventProperties(known(body))).not.toHaveProperty('batch');
});

test('an event about a file has no queue and no lane, and has a workload only if its path contains one', () => {
  const event = known(fixture('event-rejected'));
  const { pool: _pool, workload: _workload, ...unknown } = event as Record<string, unknown>;

  const account = { type: 'InboxRejected', account: 'stsluice' };
  expect(eventProperties(event)).toEqual({ ...account, pool: 'default', workload: 'billing' });
  expect(eventProperties(known(unknown))).toEqual(account);
});

test.each(BATCH_EVENTS)('%s has properties for type, workload, lane, batch and label', (name) => {
  const event = known(fixture(name));

  expect(eventProperties(event)).toEqual({
    ...{ type: event.type, account: 'stsluice', pool: 'default', queue: 'billing-normal-0', workload: 'billing' },
    ...{ lane: 'normal', batch: '01985a00-0000-7000-8000-000000000000', 'label.month': '2026-09' },
  });
});

test('ignores an event of a later type, but not one without a type or with a later version', () => {
  const later = fixture('event-later') as object;

  expect(readEvent(later)).toBeUndefined();
  expect(readEvent(JSON.stringify(later))).toBeUndefined();
  expect(() => readEvent({ ...later, type: undefined })).toThrow(MalformedMessageError);
  expect(() => readEvent({ ...later, v: 2 })).toThrow(NewerContractError);
  // Wrong fields do not turn a known type into an unknown one.
  expect(() => readEvent({ ...later, type: 'BatchCompleted' })).toThrow(MalformedMessageError);
});

test('distinguishes newer events from malformed ones', () => {
  expect(() => readEvent({ v: 2 })).toThrow(NewerContractError);
  expect(() => readEvent({ v: 1 })).toThrow(MalformedMessageError);
  expect(() => readEvent(null)).toThrow(MalformedMessageError);
});

test('each label is a separate property', () => {
  const labelled = { ...(fixture('event-wake') as object), labels: { month: '2026-09', 'cost-centre': 'R&D' } };

  expect(eventProperties(known(labelled))).toMatchObject({ 'label.month': '2026-09', 'label.cost-centre': 'R&D' });
});
