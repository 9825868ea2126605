import { randomUUID } from 'node:crypto';
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { redrive } from '../../commands/redrive/redrive.ts';
import type { FinalizeDeps } from '../../results/finalize.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/json-body.ts';
import { batchOf, keyOf } from '../edge/parameters.ts';
import { redriveRequestSchema } from './schemas.ts';

/** Corrected items come with the request. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** POST batches/{id}/dead-letters/redrive: 202 once the selection is stored and its revision open. */
export async function redriveDeadLetters(deps: FinalizeDeps, request: HttpRequest): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const { key, ...selection } = await jsonBodyOf(request, redriveRequestSchema, MAX_BODY_BYTES);
  const answer = await redrive(deps, { batch: row.id, key: keyOf(request) ?? key ?? randomUUID(), selection });
  return json(answer, { status: 202, headers: { location: `/api/batches/${row.id}`, 'retry-after': '1' } });
}
