import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { PriceSheet } from '../cost/sheet.ts';
import { encodingOf, formatOf } from '../intake/formats.ts';
import { type SubmitDeps, submit } from '../intake/submit.ts';
import type { Settings } from '../settings.ts';
import { readTraceparent } from '../telemetry/trace.ts';
import type { Registry } from '../workload/registry.ts';
import { json } from './answers.ts';
import { batchView } from './batch-view.ts';
import { keyOf, laneOf, workloadOf } from './parameters.ts';

export interface SubmitHttp {
  registry: Registry;
  settings: Settings;
  prices: PriceSheet;
  deps: SubmitDeps;
}

/** POST workloads/{workload}/batches: 202 with the batch and its Location, once everything is stored and enqueued. */
export async function submitOverHttp(
  { registry, settings, prices, deps }: SubmitHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const workload = workloadOf(request, registry);
  const row = await submit(deps, {
    workload,
    lane: laneOf(request, workload),
    key: keyOf(request),
    source: { kind: 'http', name: (request.headers.get('user-agent') ?? '').slice(0, 200) },
    format: formatOf(request.headers.get('content-type')),
    encoding: encodingOf(request.headers.get('content-encoding')),
    body: (request.body ?? emptyBody()) as AsyncIterable<Uint8Array>,
    limits: settings,
    traceparent: readTraceparent(request.headers.get('traceparent')),
  });
  const view = batchView(row, deps.gate.now(), prices);
  return json(view, { status: 202, headers: { location: view.links.self, 'retry-after': '1' } });
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}
