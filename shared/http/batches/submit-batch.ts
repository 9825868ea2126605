import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { PriceSheet } from '../../cost/sheet.ts';
import { Problem } from '../../errors.ts';
import { encodingOf, formatOf } from '../../intake/parse/formats.ts';
import { type SubmitDeps, submit } from '../../intake/submit.ts';
import type { Settings } from '../../settings.ts';
import { NoSlotError, type Slots } from '../../slots.ts';
import { readTraceparent } from '../../telemetry/trace.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { keyOf, laneOf, workloadOf } from '../edge/parameters.ts';
import { batchView } from './batch-view.ts';
import { requestBody } from './request-body.ts';

/**
 * Uploads that one process reads at a time; further ones wait, their bodies with the client. One takes up to 30 MiB: the
 * windows of its decoder (brotli 16 MiB, zstd 8), two chunks, two blocks of 4 MiB. All at once, 500 small ones took 700 MB,
 * which malloc keeps in pieces for hours. Flex Consumption sends an instance of 2 GiB as many requests at a time.
 */
export const MAX_UPLOADS = 16;
const MAX_WAITING_UPLOADS = 1_000;
/** The platform's front end cuts a request after 230 s: one that begins later than this would be accepted for nobody. */
const MAX_WAIT_MS = 100_000;

export interface SubmitHttp {
  registry: Registry;
  settings: Settings;
  prices: PriceSheet;
  deps: SubmitDeps;
  /** MAX_UPLOADS of them, for all requests of the process. */
  slots: Slots;
}

/** POST workloads/{workload}/batches: 202 with the batch and its Location, once everything is stored and enqueued. */
export async function submitOverHttp(
  { registry, settings, prices, deps, slots }: SubmitHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const workload = workloadOf(request, registry);
  const upload = {
    workload,
    lane: laneOf(request, workload),
    key: keyOf(request),
    source: { kind: 'http' as const, name: (request.headers.get('user-agent') ?? '').slice(0, 200) },
    format: formatOf(request.headers.get('content-type')),
    encoding: encodingOf(request.headers.get('content-encoding')),
    body: requestBody(request),
    limits: settings,
    traceparent: readTraceparent(request.headers.get('traceparent')),
  };
  requireRoom(slots);
  const row = await inSlot(slots, () => submit(deps, upload));
  const view = batchView(row, deps.gate.now(), prices);
  return json(view, { status: 202, headers: { location: view.links.self, 'retry-after': '1' } });
}

async function inSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  try {
    return await slots.run(work, MAX_WAIT_MS);
  } catch (error) {
    if (!(error instanceof NoSlotError)) throw error;
    throw new Problem('busy', 'All uploads before this one took too long. Try again in a while.', { cause: error });
  }
}

/** So many wait that another one could not be begun within the time of a request. What a client does not send costs nothing. */
function requireRoom({ waiting }: Slots): void {
  if (waiting >= MAX_WAITING_UPLOADS)
    throw new Problem('busy', `${waiting} uploads wait for their turn in this instance. Try again in a while.`);
}
