import { expect, it } from 'vitest';
import { canProgress } from '../../../../web/batch/finished.ts';

const blocked = { queue: 'billing-normal-0', since: '2026-01-01T00:00:00.000Z', reason: 'paused by an operator' };

it.each([
  ['running', { state: 'running' }, true],
  ['queued', { state: 'queued' }, true],
  ['paused', { state: 'paused' }, false],
  ['queued behind a paused queue', { state: 'queued', blocked }, false],
  ['completed', { state: 'completed' }, false],
] as const)('a batch that is %s is polled often only if it makes progress without an operator', (_, batch, often) => {
  expect(canProgress(batch)).toBe(often);
});
