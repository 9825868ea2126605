/** What a request says of the upload that is its body. */
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
 * Uploads that one process reads at a time; further ones wait, their bodies with the client. One takes up to 30 MiB: the
 * windows of its decoder (brotli 16 MiB, zstd 8), two chunks, two blocks of 4 MiB. All at once, 500 small ones took 700 MB,
 * which malloc keeps in pieces for hours. Flex Consumption sends an instance of 2 GiB as many requests at a time.
 */
export const MAX_UPLOADS = 16;
const MAX_WAITING_UPLOADS = 1_000;
/** The platform's front end cuts a request after 230 s: the client of an upload that begins later would get no answer. */
const MAX_WAIT_MS = 100_000;

export interface UploadHttp {
  registry: Registry;
  settings: UploadLimits;
  /** MAX_UPLOADS of them, for all requests of the process. */
  slots: Slots;
}

/** The parts of an upload that all routes for uploads read alike. */
export type RequestedUpload = Pick<
  SubmitRequest,
  'workload' | 'lane' | 'format' | 'encoding' | 'csv' | 'labels' | 'fileName' | 'validate' | 'body' | 'limits'
>;

/**
 * Reads the parameters of an upload; its body is not touched.
 * @throws Problem for one that is not known or not of its form.
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

/** `?validate=all`; absent: as the workload says. */
function validateOf(query: URLSearchParams): boolean | undefined {
  const text = query.get('validate');
  if (text === null) return undefined;
  if (text === 'all') return true;
  throw new Problem('invalid-parameter', `validate must be all; got "${text.slice(0, 40)}".`);
}

/**
 * Runs work on a body when one of the slots is free.
 * @throws Problem 'busy' where too many wait, or the turn does not come in time.
 */
export async function inUploadSlot<T>(slots: Slots, work: () => Promise<T>): Promise<T> {
  requireRoom(slots);
  try {
    return await slots.run(work, MAX_WAIT_MS);
  } catch (error) {
    if (!(error instanceof NoSlotError)) throw error;
    throw new Problem('busy', 'All uploads before this one took too long. Try again in a while.', { cause: error });
  }
}

/** Refuses an upload when so many wait that it could not begin within the time of a request. */
function requireRoom({ waiting }: Slots): void {
  if (waiting >= MAX_WAITING_UPLOADS)
    throw new Problem('busy', `${waiting} uploads wait for their turn in this instance. Try again in a while.`);
}
