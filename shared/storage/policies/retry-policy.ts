/**
 * The one retry policy of all storage clients. Those of the SDKs are switched off: they ignore Retry-After or have no
 * bound on it, do not repeat every status that passes, and none has a time limit, so that a silent server would hold a
 * call forever.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { RestError } from '@azure/storage-blob';
import type { PipelinePolicy } from '../../cost/meter.ts';
import { guardBody } from './guard-body.ts';
import { delayMs, isPassing, RETRY_LIMITS, type RetryLimits, retryAfterMs, transferMs } from './retry-limits.ts';

type Request = Parameters<PipelinePolicy['sendRequest']>[0];
type Send = Parameters<PipelinePolicy['sendRequest']>[1];
type Response = Awaited<ReturnType<Send>>;

/** What came of one try. */
type Tried = { response: Response } | { error: unknown };

/**
 * Makes the policy. It has to stand behind the SDK's own retry policy and before the one that signs, so that each try is
 * signed and counted anew.
 * @throws RestError without a status for a call that was not answered in time; what the caller's signal aborts is never repeated.
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

/** The wait before the next try, or undefined when another one would bring nothing else. */
function waitAfter(tried: Tried, next: number, limits: RetryLimits): number | undefined {
  const random = Math.random();
  if ('error' in tried) return isLost(tried.error) ? delayMs(next, { retryAfterMs: 0, random }, limits) : undefined;
  const { status, headers } = tried.response;
  if (!isPassing(status)) return undefined;
  return delayMs(next, { retryAfterMs: retryAfterMs((name) => headers.get(name)), random }, limits);
}

/** A RestError without a status: no connection, none of the answer or not all of it, or not in time. */
const isLost = (error: unknown): boolean =>
  error instanceof Error && error.name === 'RestError' && !('statusCode' in error && error.statusCode !== undefined);

/** One try, which ends within its limit whatever the server and the HTTP client do. */
async function tryOnce(
  request: Request,
  next: Send,
  { limitMs, gapMs }: { limitMs: number; gapMs: number },
): Promise<Tried> {
  const given = request.abortSignal;
  const own = new AbortController();
  const abort = (): void => own.abort();
  const leave = (): void => given?.removeEventListener('abort', abort);
  if (given?.aborted) own.abort();
  given?.addEventListener('abort', abort);
  request.abortSignal = own.signal;
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    late.reject(timedOut(request, limitMs));
    own.abort();
  }, limitMs);
  try {
    const answer = next(request);
    // The one that is given up must not end the process when it fails later.
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
  const message = `${method} ${host}${pathname}: expected an answer within ${Math.round(limitMs)} ms, got none.`;
  return new RestError(message, { code: 'ETIMEDOUT' });
}

function bytesOf(body: unknown): number {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof ArrayBuffer || ArrayBuffer.isView(body) ? body.byteLength : 0;
}

/** A stream can be sent once; all else, and what makes a stream, as often as it takes. */
const isRepeatable = (body: unknown): boolean => typeof body !== 'object' || body === null || !('pipe' in body);
