import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { isFinished } from '../../batches/batch-row.ts';
import { cancelBatch } from '../../commands/cancel.ts';
import { json } from '../edge/answers.ts';
import type { BatchChange } from '../edge/app.ts';
import { batchOf } from '../edge/request/parameters.ts';
import type { CancelAnswer } from './schemas.ts';
import { batchView } from './view/batch-view.ts';

/** For the outcomes that the request writes itself: a client waits for them, and workers or the sweep continue. */
const BUDGET_MS = 20_000;

/** POST batches/{id}/cancel: 202 with the batch while its cancellation continues, 200 if it is already finished. */
export async function cancelOverHttp({ deps, basis }: BatchChange, request: HttpRequest): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const untilMs = deps.gate.now() + BUDGET_MS;
  const { ended, left } = await cancelBatch(deps, row.id, { isOver: () => deps.gate.now() >= untilMs });
  const { row: now } = await batchOf(request, deps.table);
  const view: CancelAnswer = { ...batchView(now, deps.gate.now(), basis), cancellation: { ended, left } };
  return isFinished(now.state) ? json(view) : json(view, { status: 202, headers: { 'retry-after': '1' } });
}
