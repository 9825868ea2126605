import { isFinished } from '../../batches/batch-row.ts';
import { cancelBatch } from '../../commands/cancel.ts';
import { type DeleteDeps, deleteBatch } from '../../commands/delete.ts';
import { pauseBatch, resumeBatch } from '../../commands/pause.ts';
import type { FinalizeDeps } from '../../results/finalize.ts';
import { json } from '../edge/answers.ts';
import type { App } from '../edge/app.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { batchOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import { pauseRequestSchema, resumeRequestSchema } from '../edge/schemas.ts';
import type { CancelAnswer } from './schemas.ts';
import { batchView } from './view/batch-view.ts';

type BatchChange = Pick<App, 'basis'> & { deps: FinalizeDeps };

/** For the outcomes that the request writes itself: a client waits for them, and workers or the sweep continue. */
const CANCEL_MS = 20_000;
/** Below the two minutes after which the sweep continues a resume; otherwise both would put the same references. */
const RESUME_MS = 100_000;
/** Below the 230 s after which the platform's front end cuts a request. Source: Microsoft Learn, functions-scale. */
const DELETE_MS = 150_000;

/** POST batches/{id}/cancel: 202 with the batch while its cancellation continues, 200 if it is already finished. */
export const cancelOverHttp: Handle<BatchChange> = async ({ deps, basis }, request) => {
  const { row } = await batchOf(request, deps.table);
  const untilMs = deps.gate.now() + CANCEL_MS;
  const { ended, left } = await cancelBatch(deps, row.id, { isOver: () => deps.gate.now() >= untilMs });
  const { row: now } = await batchOf(request, deps.table);
  const view: CancelAnswer = { ...batchView(now, deps.gate.now(), basis), cancellation: { ended, left } };
  return isFinished(now.state) ? json(view) : json(view, { status: 202, headers: { 'retry-after': '1' } });
};

/** POST batches/{id}/pause: 200 with the batch. Running chunks finish. */
export const pauseOverHttp: Handle<BatchChange> = async ({ deps, basis }, request) => {
  const { row } = await batchOf(request, deps.table);
  const wish = await jsonBodyOf(request, pauseRequestSchema);
  return json(batchView(await pauseBatch(deps, row.id, wish), deps.gate.now(), basis));
};

/** POST batches/{id}/resume: 200 with the batch; 202 if it is so large that the sweep puts the remaining references. */
export const resumeOverHttp: Handle<BatchChange> = async ({ deps, basis }, request) => {
  const { row } = await batchOf(request, deps.table);
  const { since } = await jsonBodyOf(request, resumeRequestSchema);
  const { isWhole } = await resumeBatch(deps, row.id, { since, untilMs: deps.gate.now() + RESUME_MS });
  const { row: now } = await batchOf(request, deps.table);
  return json(batchView(now, deps.gate.now(), basis), { status: isWhole ? 200 : 202 });
};

/** DELETE batches/{id}: 204 if all of it is deleted; 202 if it is so large that the sweep continues. */
export const deleteOverHttp: Handle<DeleteDeps> = async (deps, request) => {
  const { row } = await batchOf(request, deps.table);
  const isDeleted = await deleteBatch(deps, row.id, deps.gate.now() + DELETE_MS);
  return { status: isDeleted ? 204 : 202 };
};
