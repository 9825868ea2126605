import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MalformedMessageError, NewerContractError } from '../../../shared/contract/errors.ts';
import { eventProperties, readEvent } from '../../../shared/contract/events.ts';

const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`fixtures/${name}.v1.json`, import.meta.url), 'utf8'));

test.each(['event-wake', 'event-completed', 'event-rejected'])(
  '%s of version 1 stays readable, as text and as an object',
  (name) => {
    const body = fixture(name);

    expect(readEvent(body)).toEqual(body);
    expect(readEvent(JSON.stringify(body))).toEqual(body);
  },
);

test('properties repeat what filters look at', () => {
  expect(eventProperties(readEvent(fixture('event-wake')))).toEqual({
    type: 'QueueWorkDetected',
    account: 'stsluice',
    pool: 'default',
    queue: 'billing-normal-0',
    workload: 'billing',
    lane: 'normal',
    batch: '01985a00-0000-7000-8000-000000000000',
  });
});

test('an event without a batch has no such property: a filter would take it for an empty one', () => {
  const { batch: _batch, ...body } = fixture('event-wake') as Record<string, unknown>;

  expect(eventProperties(readEvent(body))).not.toHaveProperty('batch');
});

test('an event about a file has neither queue nor lane, and a workload only where its path names one', () => {
  const event = readEvent(fixture('event-rejected'));
  const { pool: _pool, workload: _workload, ...unknown } = event as Record<string, unknown>;

  const account = { type: 'InboxRejected', account: 'stsluice' };
  expect(eventProperties(event)).toEqual({ ...account, pool: 'default', workload: 'billing' });
  expect(eventProperties(readEvent(unknown))).toEqual(account);
});

test('newer and malformed events are told apart', () => {
  expect(() => readEvent({ v: 2 })).toThrow(NewerContractError);
  expect(() => readEvent({ v: 1 })).toThrow(MalformedMessageError);
  expect(() => readEvent(null)).toThrow(MalformedMessageError);
});

test('each label is a property of its own', () => {
  const labelled = { ...(fixture('event-wake') as object), labels: { month: '2026-09', 'cost-centre': 'R&D' } };

  expect(eventProperties(readEvent(labelled))).toMatchObject({ 'label.month': '2026-09', 'label.cost-centre': 'R&D' });
});
