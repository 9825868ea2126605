/** The parameters of requests whose body is an upload. */
import type { HttpRequest } from '@azure/functions';
import { Problem } from '../../../errors.ts';
import type { UploadLimits } from '../../../intake/limits.ts';
import { readCsvOptions } from '../../../intake/parse/csv/csv-options.ts';
import { encodingOf, formatOf } from '../../../intake/parse/formats.ts';
import type { SubmitRequest } from '../../../intake/submit-request.ts';
import { readFileName, readLabelsOption } from '../../../intake/upload-options.ts';
import { NoSlotError, type Slots } from '../../../slots.ts';
import type { Registry } from '../../../workload/registry.ts';
import { laneOf, workloadOf } from '../../edge/request/parameters.ts';
import { requestBody } from '../../edge/request/request-body.ts';

/**
 * Maximum number of uploads that a process reads at the same time. Others wait, with their bodies still at the client. One
 * upload uses up to 30 MiB: the windows of its decoder (brotli 16 MiB, zstd 8), two chunks, two blocks of 4 MiB. Without the
 * limit, 500 concurrent small uploads used 700 MB, which malloc kept in fragments for hours. Flex Consumption sends as many
 * concurrent requests to an instance of 2 GiB.
 */
export const MAX_UPLOADS = 16;
const MAX_WAITING_UPLOADS = 1_000;
/** The platform's front end cuts a request after 230 s, so the client of an upload that begins later would get no answer. */
const MAX_WAIT_MS = 100_000;

export interface UploadHttp {
  registry: Registry;
  settings: UploadLimits;
  /** Has MAX_UPLOADS slots, for all requests of the process. */
  slots: Slots;
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

/**
 * Runs work on a body when a slot is free.
 * @throws Problem 'busy' if too many uploads wait, or no slot becomes free in time.
 */
export async function inUploadSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  requireRoom(slots);
  try {
    return await slots.run(work, MAX_WAIT_MS);
  } catch (error) {
    if (!(error instanceof NoSlotError)) throw error;
    throw new Problem('busy', 'Earlier uploads took too long. Try again later.', { cause: error });
  }
}

/** Refuses an upload if so many wait that it could not begin within the time of a request. */
function requireRoom({ waiting }: Slots): void {
  if (waiting >= MAX_WAITING_UPLOADS)
    throw new Problem('busy', `${waiting} uploads are waiting in this instance. Try again later.`);
}
