/** Errors of the API as the page shows them. */
import { type Place, type Refusal, readProblem } from '../../shared/client/problem.ts';

/** The API refused a request, or could not be reached (status 0). */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly title: string;
  readonly faults: readonly Place[];
  constructor(status: number, title: string, { detail, faults = [] }: { detail?: string; faults?: Place[] } = {}) {
    super(detail ?? title);
    this.status = status;
    this.title = title;
    this.faults = faults;
  }
}

/** Explains a refusal to the user of the key. */
const REFUSED =
  'This key grants no access here. Queues, cost, redrive, cancel and pause require an operator’s key; batches and uploads require a client’s key.';

/** Returns the error of a response: its problem document or, without one, a text for its status. */
export function errorOf({ status, text }: Refusal): ApiError {
  if (status === 401 || status === 403) return new ApiError(status, 'Not allowed with this key', { detail: REFUSED });
  const { title = `The server responded with status ${status}`, detail, errors = [] } = readProblem(text);
  return new ApiError(status, title, { ...(detail === undefined ? {} : { detail }), faults: errors });
}

/** No response arrived at all. */
export const unreachable = (): ApiError =>
  new ApiError(0, 'The server cannot be reached', { detail: 'Check the connection; this page retries automatically.' });

/** No response arrived in time. */
export const timedOut = (limitMs: number): ApiError =>
  new ApiError(0, `No response after ${Math.round(limitMs / 1_000)} s`, {
    detail: 'The server may still be processing the request.',
  });

/** Converts any thrown value to an ApiError. */
export const toApiError = (thrown: unknown): ApiError => {
  if (thrown instanceof ApiError) return thrown;
  // The headers had arrived.
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError')
    return new ApiError(0, 'The response was not complete in time', { detail: 'Check the connection.' });
  return new ApiError(0, 'Something went wrong in this page', {
    detail: thrown instanceof Error ? thrown.message : '',
  });
};
