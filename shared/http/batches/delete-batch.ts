import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { type DeleteDeps, deleteBatch } from '../../commands/delete.ts';
import { batchOf } from '../edge/request/parameters.ts';

/** Below the 230 s after which the platform's front end cuts a request. Source: Microsoft Learn, functions-scale. */
const BUDGET_MS = 150_000;

/** DELETE batches/{id}: 204 if all of it is deleted; 202 if it is so large that the sweep continues. */
export async function deleteOverHttp(deps: DeleteDeps, request: HttpRequest): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const isDeleted = await deleteBatch(deps, row.id, deps.gate.now() + BUDGET_MS);
  return { status: isDeleted ? 204 : 202 };
}
