/** How long a storage call may take, and when it is repeated. Pure: times and random numbers are parameters. */

export interface RetryLimits {
  tries: number;
  /** Maximum wait for a response to one try, in addition to the transfer time of its body. */
  tryMs: number;
  /** Maximum time of all tries and the waits between them, in addition to the transfer time of the body. */
  totalMs: number;
  /** The lowest speed at which an upload still counts as progressing. */
  bytesPerSecond: number;
  /** Maximum time between two pieces of a streamed response. */
  gapMs: number;
  /** Upper bound of the wait before the second try; it doubles with each try. */
  firstDelayMs: number;
  longestDelayMs: number;
  /** A longer Retry-After of a service is shortened to this. */
  longestRetryAfterMs: number;
}

export const RETRY_LIMITS: RetryLimits = {
  tries: 5,
  // Tables and queues time out after 30 s themselves: their own error, which contains more, comes first.
  tryMs: 35_000,
  // With this limit, a request that waits for a silent service is answered well before the load balancer closes it at
  // 230 s, and a lease of five minutes that is renewed at half its time survives one renewal that takes this long.
  totalMs: 60_000,
  // A block of 4 MiB gets 16 s more. Within a region it takes well under one.
  bytesPerSecond: 256 * 1024,
  gapMs: 30_000,
  firstDelayMs: 400,
  longestDelayMs: 10_000,
  longestRetryAfterMs: 30_000,
};

/** How often the SDK resumes an interrupted download. Each resume is a call with its own retries. */
export const DOWNLOAD_RESUMES = 4;

/** Includes 408 and 429: storage-blob and storage-queue would repeat only 500 and 503. 501 and 505 are permanent. */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** Whether a call that failed with `status` may succeed when it is repeated. */
export const isPassing = (status: number): boolean => PASSING.has(status);

/** Returns the time that the transfer of `bytes` may take, in milliseconds. */
export const transferMs = (bytes: number, { bytesPerSecond }: Pick<RetryLimits, 'bytesPerSecond'>): number =>
  (bytes / bytesPerSecond) * 1000;

/**
 * Returns the wait before try `next` (from 2), in milliseconds: exponential with full jitter, and not shorter than the
 * service requires.
 * @param random in [0, 1)
 */
export function delayMs(
  next: number,
  { retryAfterMs, random }: { retryAfterMs: number; random: number },
  limits: Pick<RetryLimits, 'firstDelayMs' | 'longestDelayMs' | 'longestRetryAfterMs'>,
): number {
  const most = Math.min(limits.firstDelayMs * 2 ** (next - 2), limits.longestDelayMs);
  return Math.max(random * most, Math.min(retryAfterMs, limits.longestRetryAfterMs));
}

/**
 * Returns the wait that a response requires, in milliseconds, or 0. A date is compared with the response's own clock.
 */
export function retryAfterMs(header: (name: string) => string | undefined): number {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const ms = Number(header(name) ?? Number.NaN);
    if (ms >= 0) return ms;
  }
  const text = header('retry-after') ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const ms = Date.parse(text) - Date.parse(header('date') ?? '');
  return Number.isNaN(ms) ? 0 : Math.max(ms, 0);
}
