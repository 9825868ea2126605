import { isFinished } from '../../batches/batch-row.ts';
import { readBatchAndProgress, sumFresh } from '../../batches/progress/progress-rows.ts';
import type { Settings } from '../../settings.ts';
import { json } from '../edge/answers.ts';
import type { App, Reads } from '../edge/app.ts';
import { batchBy } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import { type BatchNow, batchView } from './view/batch-view.ts';
import { blockedOf, canBeBlocked, type QueueStatesDeps, readQueueStates } from './view/blocked.ts';
import { readWaiting } from './view/waiting.ts';

type GetBatchHttp = QueueStatesDeps & Pick<Reads, 'table'> & Pick<App, 'basis'> & Partial<Pick<Settings, 'links'>>;

/**
 * GET batches/{id}: one table read returns the batch and the progress of its running chunks. Until the batch is finished or
 * paused, a second read determines whether its queues drain (and another one whether they wait for a share of their limits); if
 * none of its chunks is running, one more read counts what is ahead of it.
 */
export const getBatch: Handle<GetBatchHttp> = async (deps, request) => {
  const { row, progress: rows } = await batchBy(request, (id) => readBatchAndProgress(deps.table, id));
  const nowMs = deps.gate.now();
  const view = (now: BatchNow) => json(batchView(row, nowMs, deps.basis, { ...now, telemetryLinks: deps.links }));
  if (isFinished(row.state)) return view({});
  const progress = sumFresh(rows, row, nowMs);
  const deployed = deps.registry.workload(row.workload);
  if (!canBeBlocked(row)) return view({ progress, deployed });
  const states = await readQueueStates(deps, row.workload);
  const blocked = blockedOf(row, states);
  const waiting = progress === undefined ? await readWaiting(deps.table, row, { ...states, blocked }) : undefined;
  return view({ progress, deployed, blocked, waiting });
};
