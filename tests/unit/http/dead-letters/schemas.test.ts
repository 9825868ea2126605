import { describe, expect, it } from 'vitest';
import {
  deadLetterSchema,
  discardRequestSchema,
  redriveRequestSchema,
} from '../../../../shared/http/dead-letters/schemas.ts';
import { sweepAnswerSchema } from '../../../../shared/http/sweep/routes.ts';
import { noCounts } from '../../../../shared/sweep/sweep-run.ts';

describe('an attempt of a dead letter', () => {
  it.each([
    ['an error', { name: 'Error', message: 'm' }],
    ['text, the former format', 'Error: m'],
  ])('has %s', (_what, error) => {
    const letter = {
      ...{ line: 2, chunk: '000000', cause: 'c', index: 1, reason: 'exhausted', version: 1 },
      error: { name: 'Error', message: 'm' },
      attempts: [{ at: '2026-11-01T10:00:00.000Z', error }],
    };
    expect(deadLetterSchema.parse(letter)).toEqual(letter);
  });
});

describe('the body of a redrive', () => {
  it.each([
    {},
    { cause: 'rejected: Error: no' },
    { items: [0, 5], corrected: [{ index: 7, item: { a: [null] } }], ratePerSecond: 0.5, key: 'k' },
    { cause: 'rejected: Error: no', patch: { currency: 'USD', discount: null, nested: { a: [1] } } },
  ])('accepts %j', (body) => expect(redriveRequestSchema.parse(body)).toEqual(body));

  it.each([
    ['a cause beside items', { cause: 'x', items: [1] }],
    ['a negative index', { items: [-1] }],
    ['no items at all, which would mean all', { items: [] }],
    ['a corrected item without its item', { corrected: [{ index: 1 }] }],
    ['a patch that is not an object', { patch: [1] }],
    ['a patch of a report', { report: true, patch: { a: 1 } }],
    ['a rate of 0', { ratePerSecond: 0 }],
    ['a field that is misspelt', { item: [1] }],
  ])('refuses %s', (_what, body) => expect(redriveRequestSchema.safeParse(body).success).toBe(false));
});

describe('the body of a discard', () => {
  it.each([{ reason: 'a' }, { reason: 'a', cause: 'c', key: 'k' }, { reason: 'a', items: [1, 0] }])(
    'accepts %j',
    (body) => expect(discardRequestSchema.parse(body)).toEqual(body),
  );

  it.each([
    ['without a reason', {}],
    ['with a blank reason', { reason: ' ' }],
    ['with a reason that is too long', { reason: 'x'.repeat(201) }],
    ['for a cause beside items', { reason: 'a', cause: 'x', items: [1] }],
    ['of no items at all, which would mean all', { reason: 'a', items: [] }],
    ['with a field that is misspelt', { reason: 'a', item: [1] }],
  ])('refuses %s', (_what, body) => expect(discardRequestSchema.safeParse(body).success).toBe(false));
});

it('the answer of a sweep contains every count', () => {
  const answer = { ...noCounts(), done: ['1 drain restarted'] };
  expect(sweepAnswerSchema.parse(answer)).toEqual(answer);
});
