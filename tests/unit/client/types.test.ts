import { expectTypeOf, it } from 'vitest';
import type { AnswerOf, Call, RequestTo, RouteKey } from '../../../shared/client/types.ts';
import type { BatchView } from '../../../shared/http/batches/schemas.ts';
import type { QueueView } from '../../../shared/http/queues/schemas.ts';

it('derives path, query, body and answer of a route', () => {
  expectTypeOf<RequestTo<'POST queues/{queue}/pause'>['path']>().toEqualTypeOf<{ queue: string | number }>();
  expectTypeOf<{ reason: string; forSeconds: number }>().toExtend<RequestTo<'POST queues/{queue}/pause'>['body']>();
  expectTypeOf<{ reason: number }>().not.toExtend<RequestTo<'POST queues/{queue}/pause'>['body']>();
  expectTypeOf<RequestTo<'GET batches'>['query']>().toExtend<{ label?: readonly string[] | undefined } | undefined>();
  expectTypeOf<AnswerOf<'POST queues/{queue}/pause'>>().toEqualTypeOf<QueueView>();
  expectTypeOf<AnswerOf<'GET batches/{id}'>>().toEqualTypeOf<BatchView>();
});

it('requires what a route requires, and nothing else', () => {
  expectTypeOf<[]>().toExtend<Call<'GET overview'>>();
  expectTypeOf<[]>().not.toExtend<Call<'GET batches/{id}'>>();
  expectTypeOf<[{ path: { queue: string } }]>().not.toExtend<Call<'POST queues/{queue}/resume'>>();
  expectTypeOf<'GET nothing'>().not.toExtend<RouteKey>();
});
