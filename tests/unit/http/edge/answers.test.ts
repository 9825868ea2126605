import type { InvocationContext } from '@azure/functions';
import { expect, test } from 'vitest';
import { TimeLimitError } from '../../../../shared/time-limit.ts';
import { serviceError } from '../../../helpers/data/factories.ts';
import { answering } from '../../../helpers/fakes/answering.ts';
import { requestFor } from '../requests.ts';

const context = { error: () => undefined } as unknown as InvocationContext;
const unanswered = Object.assign(new Error('No answer.'), { name: 'RestError', code: 'ETIMEDOUT' });

test.each<[string, Error, number]>([
  ['a service that was too busy', serviceError(503), 503],
  ['a service that took too long', serviceError(408), 503],
  ['a service that did not answer', unanswered, 503],
  ['a runtime that did not answer', new TimeLimitError('No answer.'), 503],
  ['a service that refused the request', serviceError(400), 500],
  ['an internal error', new TypeError('undefined is not a function'), 500],
])('%s', async (_what, error, status) => {
  const answer = await answering(() => Promise.reject(error))(requestFor('batches'), context);

  expect(answer.status).toBe(status);
  expect(new Headers(answer.headers as Record<string, string>).get('retry-after')).toBe(status === 503 ? '5' : null);
});

test('an answer is kept by no cache and taken for no page, unless its handler says otherwise', async () => {
  const headersOf = async (headers: Record<string, string>): Promise<Record<string, string>> => {
    const answer = await answering(async () => ({ headers, jsonBody: {} }))(requestFor('batches'), context);
    return Object.fromEntries(new Headers(answer.headers as Record<string, string>));
  };
  expect(await headersOf({})).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  expect(await headersOf({ 'Cache-Control': 'public' })).toMatchObject({ 'cache-control': 'public' });
  const refused = await answering(() => Promise.reject(new TypeError('x')))(requestFor('batches'), context);
  expect(refused.headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
});
