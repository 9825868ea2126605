/** How long a storage call may take, and when it is repeated. Pure: times and chance are passed in. */

/** Bounds of one storage call. */
export interface RetryLimits {
  /** Most tries of one call. */
  tries: number;
  /** Longest wait for an answer to one try, beside the time for its body. */
  tryMs: number;
  /** Longest time over all tries and the waits between them, beside the time for the body. */
  totalMs: number;
  /** Slowest upload that still counts as moving. */
  bytesPerSecond: number;
  /** Longest gap between two pieces of a streamed answer. */
  gapMs: number;
  /** The wait before the second try is up to this; it doubles with each try. */
  firstDelayMs: number;
  longestDelayMs: number;
  /** Most that a service's Retry-After is obeyed. */
  longestRetryAfterMs: number;
}

export const RETRY_LIMITS: RetryLimits = {
  tries: 5,
  // Tables and queues give up after 30 s themselves: their own answer, which says more, comes first.
  tryMs: 35_000,
  // A request that meets a silent service is answered well before the load balancer cuts it off at 230 s, and a lease of
  // five minutes that is renewed at half its time survives one renewal that takes this long.
  totalMs: 60_000,
  // A block of 4 MiB gets 16 s more. Inside a region it takes well under one.
  bytesPerSecond: 256 * 1024,
  gapMs: 30_000,
  firstDelayMs: 400,
  longestDelayMs: 10_000,
  longestRetryAfterMs: 30_000,
};

/** Times that the SDK takes up a broken download where it broke; each of them is a call with its own retries. */
export const DOWNLOAD_RESUMES = 4;

/**
 * 408 and 429 as well: storage-blob and storage-queue would repeat 500 and 503 alone. 501 and 505 never change.
 */
const PASSING = new Set([408, 429, 500, 502, 503, 504]);

/** Whether a call that was answered with `status` may be answered otherwise when it is repeated. */
export const isPassing = (status: number): boolean => PASSING.has(status);

/** Time that a body of `bytes` may take on its way, in milliseconds. */
export const transferMs = (bytes: number, { bytesPerSecond }: Pick<RetryLimits, 'bytesPerSecond'>): number =>
  (bytes / bytesPerSecond) * 1000;

/**
 * The wait before try `next` (from 2), in milliseconds: exponential with full jitter, and not shorter than what the service has asked for.
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

/** The wait that an answer asks for, in milliseconds; 0 when it asks for none. A date is taken by the answer's own clock. */
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
