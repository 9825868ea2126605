import type { HttpRequest } from '@azure/functions';
import { checkUpload } from '../../../intake/check/check-upload.ts';
import type { UploadLimits } from '../../../intake/limits.ts';
import { readCsvOptions } from '../../../intake/parse/csv-options.ts';
import { encodingOf, formatOf } from '../../../intake/parse/formats.ts';
import { submit } from '../../../intake/submit.ts';
import type { SubmitDeps } from '../../../intake/submit-request.ts';
import { readFileName, readLabelsOption } from '../../../intake/upload-options.ts';
import { readTraceparent } from '../../../telemetry/trace.ts';
import { json } from '../../edge/answers.ts';
import type { App } from '../../edge/app.ts';
import type { PlaceLimits } from '../../edge/request/body-places.ts';
import { keyOf, oneOf, wholeOf, workloadOf } from '../../edge/request/parameters.ts';
import { requestBody } from '../../edge/request/request-body.ts';
import { type Handle, query, whole } from '../../edge/route.ts';
import { batchView } from '../view/batch-view.ts';
import type { UploadCheckView } from './schemas.ts';

const MiB = 1024 * 1024;

/**
 * The places for uploads in a process. One upload uses up to 30 MiB: the windows of its decoder (brotli 16 MiB, zstd 8), two
 * chunks, two blocks of 4 MiB. Without a limit, 500 concurrent small uploads used 700 MB, which malloc kept in fragments for
 * hours. Flex Consumption sends as many concurrent requests to an instance of 2 GiB.
 */
export const UPLOAD_PLACES: PlaceLimits = { bodies: 16, arriving: 12, waiting: 1_000, headBytes: 64 * MiB };

type UploadHttp = Pick<App, 'registry' | 'basis' | 'uploadPlaces'> & { settings: UploadLimits };

/**
 * POST workloads/{workload}/batches: 202 with the batch and its Location once it is accepted. If its references could not
 * be enqueued, the sweep does it.
 */
export const submitOverHttp: Handle<UploadHttp & { deps: SubmitDeps }> = async (http, request) => {
  const { basis, deps, uploadPlaces } = http;
  const upload = {
    ...uploadOf(request, http),
    key: keyOf(request),
    source: { kind: 'http' as const, name: (request.headers.get('user-agent') ?? '').slice(0, 200) },
    traceparent: readTraceparent(request.headers.get('traceparent')),
  };
  const row = await uploadPlaces.read(requestBody(request), (body) => submit(deps, { ...upload, body }));
  const view = batchView(row, deps.gate.now(), basis);
  return json(view, { status: 202, headers: { location: view.links.self, 'retry-after': '1' } });
};

export const TRY_ITEMS = query('items', 'Maximum number of items to validate', whole(1, 10_000, 1_000));
/** Enough for 10,000 records of 1.5 KB, and affordable for an instance that reads 16 such bodies at a time. */
const MAX_TRY_BYTES = 16 * MiB;
/** Limits slow or waiting schemas. Chosen for a user who waits for the answer on a page. */
const MAX_TRY_MS = 20_000;

/**
 * POST workloads/{workload}/try: 200 with the interpretation of the beginning of an upload, and how well it matches the
 * schema. Stores nothing, runs no handler, and does not read the rest of the body.
 */
export const tryOverHttp: Handle<UploadHttp> = async (http, request) => {
  const upload = uploadOf(request, http);
  const maxItems = wholeOf(request, TRY_ITEMS);
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  const check: UploadCheckView = await http.uploadPlaces.read(requestBody(request), (body) =>
    checkUpload({
      ...upload,
      body,
      maxItems,
      maxBytes: MAX_TRY_BYTES,
      signal: AbortSignal.timeout(MAX_TRY_MS),
      size: Number.isSafeInteger(length) && length > 0 ? length : undefined,
      ...http.basis,
    }),
  );
  return json(check);
};

/**
 * Reads the parameters of an upload, but not its body.
 * @throws Problem for an unknown or malformed parameter.
 */
function uploadOf(request: HttpRequest, { registry, settings }: UploadHttp) {
  const workload = workloadOf(request, registry);
  const { headers, query } = request;
  const { format, ...named } = formatOf(headers.get('content-type'));
  return {
    workload,
    lane: oneOf(request, 'lane', workload.lanes),
    format,
    encoding: encodingOf(headers.get('content-encoding')),
    csv: { ...named, ...readCsvOptions(query) },
    labels: readLabelsOption(headers.get('sluice-labels'), 'Sluice-Labels'),
    fileName: readFileName(headers.get('sluice-file-name'), 'Sluice-File-Name'),
    // If absent, the workload decides.
    validate: oneOf(request, 'validate', ['all']) && true,
    limits: settings,
  };
}
