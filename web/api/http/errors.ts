import type { UploadFault } from '../types.ts';

/** The API refused, or could not be reached (status 0). */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly title: string;
  readonly faults: readonly UploadFault[];
  constructor(status: number, title: string, options: { detail?: string; faults?: readonly UploadFault[] } = {}) {
    super(options.detail ?? title);
    this.status = status;
    this.title = title;
    this.faults = options.faults ?? [];
  }
}

/** What a refusal means for whoever holds the key. */
const REFUSED =
  'The key does not open this. Queues, cost, redrive, cancel and pause take an operator’s key; batches and uploads take a client’s.';

/** The error of an answer: its problem document, or what its status says. */
export function errorOf(status: number, text: string): ApiError {
  if (status === 401 || status === 403) return new ApiError(status, 'Not allowed with this key', { detail: REFUSED });
  const { title, detail, errors } = readProblem(text);
  return new ApiError(status, title ?? `The server answered ${status}`, {
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined ? {} : { faults: errors }),
  });
}

/** Nothing came back at all. */
export const unreachable = (): ApiError =>
  new ApiError(0, 'The server cannot be reached', { detail: 'Check the connection; this page tries again by itself.' });

/** No answer came in time. */
export const timedOut = (limitMs: number): ApiError =>
  new ApiError(0, `No answer after ${Math.round(limitMs / 1_000)} s`, {
    detail: 'The server may still be at work on it.',
  });

/** Whatever was thrown, as an ApiError. */
export const toApiError = (thrown: unknown): ApiError => {
  if (thrown instanceof ApiError) return thrown;
  // The headers had come.
  if (thrown instanceof DOMException && thrown.name === 'TimeoutError')
    return new ApiError(0, 'The answer did not come whole in time', { detail: 'Check the connection.' });
  return new ApiError(0, 'Something went wrong in this page', {
    detail: thrown instanceof Error ? thrown.message : '',
  });
};

function readProblem(text: string): { title?: string; detail?: string; errors?: UploadFault[] } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
