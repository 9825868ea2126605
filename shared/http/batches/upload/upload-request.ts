/** The parameters of requests whose body is an upload. */
import type { HttpRequest } from '@azure/functions';
import { Problem } from '../../../errors.ts';
import type { UploadLimits } from '../../../intake/limits.ts';
import { readCsvOptions } from '../../../intake/parse/csv-options.ts';
import { encodingOf, formatOf } from '../../../intake/parse/formats.ts';
import type { SubmitRequest } from '../../../intake/submit-request.ts';
import { readFileName, readLabelsOption } from '../../../intake/upload-options.ts';
import type { Registry } from '../../../workload/registry.ts';
import type { BodyPlaces, PlaceLimits } from '../../edge/request/body-places.ts';
import { laneOf, workloadOf } from '../../edge/request/parameters.ts';
import { requestBody } from '../../edge/request/request-body.ts';

const MiB = 1024 * 1024;

/**
 * The places for uploads in a process. One upload uses up to 30 MiB: the windows of its decoder (brotli 16 MiB, zstd 8), two
 * chunks, two blocks of 4 MiB. Without a limit, 500 concurrent small uploads used 700 MB, which malloc kept in fragments for
 * hours. Flex Consumption sends as many concurrent requests to an instance of 2 GiB.
 */
export const UPLOAD_PLACES: PlaceLimits = { bodies: 16, arriving: 12, waiting: 1_000, headBytes: 64 * MiB };

export interface UploadHttp {
  registry: Registry;
  settings: UploadLimits;
  places: BodyPlaces;
}

/** The parts of an upload that all upload routes read in the same way. */
export type RequestedUpload = Pick<
  SubmitRequest,
  'workload' | 'lane' | 'format' | 'encoding' | 'csv' | 'labels' | 'fileName' | 'validate' | 'body' | 'limits'
>;

/**
 * Reads the parameters of an upload, but not its body.
 * @throws Problem for an unknown or malformed parameter.
 */
export function uploadOf(request: HttpRequest, { registry, settings }: UploadHttp): RequestedUpload {
  const workload = workloadOf(request, registry);
  const { headers, query } = request;
  const { format, ...named } = formatOf(headers.get('content-type'));
  return {
    workload,
    lane: laneOf(request, workload),
    format,
    encoding: encodingOf(headers.get('content-encoding')),
    csv: { ...named, ...readCsvOptions(query) },
    labels: readLabelsOption(headers.get('sluice-labels'), 'Sluice-Labels'),
    fileName: readFileName(headers.get('sluice-file-name'), 'Sluice-File-Name'),
    validate: validateOf(query),
    body: requestBody(request),
    limits: settings,
  };
}

/** Reads `?validate=all`. If absent, the workload decides. */
function validateOf(query: URLSearchParams): boolean | undefined {
  const text = query.get('validate');
  if (text === null) return undefined;
  if (text === 'all') return true;
  throw new Problem('invalid-parameter', `validate must be all; got "${text.slice(0, 40)}".`);
}
