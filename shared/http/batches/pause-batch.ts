import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { pauseBatch } from '../../commands/pause.ts';
import { resumeBatch } from '../../commands/resume.ts';
import { json } from '../edge/answers.ts';
import type { BatchChange } from '../edge/app.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { batchOf } from '../edge/request/parameters.ts';
import { pauseRequestSchema, resumeRequestSchema } from '../edge/schemas.ts';
import { batchView } from './view/batch-view.ts';

/** Below the two minutes after which the sweep continues a resume; otherwise both would put the same references. */
const BUDGET_MS = 100_000;

/** POST batches/{id}/pause: 200 with the batch. Running chunks finish. */
export async function pauseOverHttp({ deps, basis }: BatchChange, request: HttpRequest): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const wish = await jsonBodyOf(request, pauseRequestSchema);
  return json(batchView(await pauseBatch(deps, row.id, wish), deps.gate.now(), basis));
}

/** POST batches/{id}/resume: 200 with the batch; 202 if it is so large that the sweep puts the remaining references. */
export async function resumeOverHttp({ deps, basis }: BatchChange, request: HttpRequest): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const { since } = await jsonBodyOf(request, resumeRequestSchema);
  const { isWhole } = await resumeBatch(deps, row.id, { since, untilMs: deps.gate.now() + BUDGET_MS });
  const { row: now } = await batchOf(request, deps.table);
  return json(batchView(now, deps.gate.now(), basis), { status: isWhole ? 200 : 202 });
}
