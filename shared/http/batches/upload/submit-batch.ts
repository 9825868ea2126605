import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { submit } from '../../../intake/submit.ts';
import type { SubmitDeps } from '../../../intake/submit-request.ts';
import { readTraceparent } from '../../../telemetry/trace.ts';
import { json } from '../../edge/answers.ts';
import { keyOf } from '../../edge/request/parameters.ts';
import { batchView } from '../view/batch-view.ts';
import type { ReceiptBasis } from '../view/receipt-view.ts';
import { type UploadHttp, uploadOf } from './upload-request.ts';

export interface SubmitHttp extends UploadHttp {
  basis: ReceiptBasis;
  deps: SubmitDeps;
}

/**
 * POST workloads/{workload}/batches: 202 with the batch and its Location once it is accepted. If its references could not
 * be enqueued, the sweep does it.
 */
export async function submitOverHttp(
  { basis, deps, ...http }: SubmitHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const upload = {
    ...uploadOf(request, http),
    key: keyOf(request),
    source: { kind: 'http' as const, name: (request.headers.get('user-agent') ?? '').slice(0, 200) },
    traceparent: readTraceparent(request.headers.get('traceparent')),
  };
  const row = await http.places.read(upload.body, (body) => submit(deps, { ...upload, body }));
  const view = batchView(row, deps.gate.now(), basis);
  return json(view, { status: 202, headers: { location: view.links.self, 'retry-after': '1' } });
}
