/**
 * The only retry policy of all storage clients. Those of the SDKs are off: they ignore Retry-After or do not limit it,
 * do not repeat every temporary status, and have no time limit, so a silent server would block a call indefinitely.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RestError } from '@azure/storage-blob';
import type { PipelinePolicy } from '../../cost/meter.ts';
import { guardBody } from './guard-body.ts';
import { delayMs, isPassing, RETRY_LIMITS, type RetryLimits, retryAfterMs, transferMs } from './retry-limits.ts';

type Request = Parameters<PipelinePolicy['sendRequest']>[0];
type Send = Parameters<PipelinePolicy['sendRequest']>[1];
type Response = Awaited<ReturnType<Send>>;

type Tried = { response: Response } | { error: unknown };

/**
 * Creates the policy. It must run after the SDK's own retry policy and before the policy that signs, so that each try
 * is signed and counted.
 * @throws RestError without a status for a call without a response in time. A call that the caller's signal aborts is
 * not repeated.
 */
export const retryPolicy = (limits: RetryLimits = RETRY_LIMITS): PipelinePolicy => ({
  name: 'sluice-retry',
  sendRequest: (request, next) => sendWithRetries(request, next, limits),
});

async function sendWithRetries(request: Request, next: Send, limits: RetryLimits): Promise<Response> {
  const { abortSignal } = request;
  const extraMs = transferMs(bytesOf(request.body), limits);
  const endsAt = performance.now() + limits.totalMs + extraMs;
  const tries = isRepeatable(request.body) ? limits.tries : 1;
  for (let count = 1; ; count += 1) {
    const limitMs = Math.min(limits.tryMs + extraMs, endsAt - performance.now());
    const tried = await tryOnce(request, next, { limitMs, gapMs: limits.gapMs });
    const waitMs = waitAfter(tried, count + 1, limits);
    const isLast = count >= tries || waitMs === undefined || performance.now() + waitMs >= endsAt;
    if (isLast || abortSignal?.aborted) {
      if ('error' in tried) throw tried.error;
      return tried.response;
    }
    await sleep(waitMs, undefined, abortSignal === undefined ? {} : { signal: abortSignal as AbortSignal });
  }
}

/** Returns the wait before the next try, or undefined if another try would have the same result. */
function waitAfter(tried: Tried, next: number, limits: RetryLimits): number | undefined {
  const random = Math.random();
  if ('error' in tried) return isLost(tried.error) ? delayMs(next, { retryAfterMs: 0, random }, limits) : undefined;
  const { status, headers } = tried.response;
  if (!isPassing(status)) return undefined;
  return delayMs(next, { retryAfterMs: retryAfterMs((name) => headers.get(name)), random }, limits);
}

/** A RestError without a status: no connection, no response or only part of it, or not in time. */
const isLost = (error: unknown): boolean =>
  error instanceof Error && error.name === 'RestError' && !('statusCode' in error && error.statusCode !== undefined);

/** Makes one try, which ends within its limit regardless of the server and the HTTP client. */
async function tryOnce(
  request: Request,
  next: Send,
  { limitMs, gapMs }: { limitMs: number; gapMs: number },
): Promise<Tried> {
  const given = request.abortSignal;
  const tries = new AbortController();
  const abort = (): void => tries.abort();
  const leave = (): void => given?.removeEventListener('abort', abort);
  if (given?.aborted) tries.abort();
  given?.addEventListener('abort', abort);
  request.abortSignal = tries.signal;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(timedOut(request, limitMs));
    tries.abort();
  }, limitMs);
  try {
    const answer = next(request);
    // A cancelled try that fails later must not terminate the process.
    answer.catch(() => undefined);
    const response = await Promise.race([answer, late.promise]);
    const { readableStreamBody: body } = response;
    if (body === undefined) leave();
    else response.readableStreamBody = guardBody(body, { gapMs, ended: leave });
    return { response };
  } catch (error) {
    leave();
    return { error };
  } finally {
    clearTimeout(timer);
    Object.assign(request, { abortSignal: given });
  }
}

function timedOut({ method, url }: Request, limitMs: number): Error {
  const { host, pathname } = new URL(url);
  const message = `${method} ${host}${pathname}: expected a response within ${Math.round(limitMs)} ms, got none.`;
  return new RestError(message, { code: 'ETIMEDOUT' });
}

function bytesOf(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body.byteLength : 0;
}

/** Whether a body can be sent again: a stream only once, other bodies and functions that create one repeatedly. */
const isRepeatable = (body: unknown): boolean => typeof body !== 'object' || body === null || !('pipe' in body);
