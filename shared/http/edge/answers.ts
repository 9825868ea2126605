/** How every HTTP function answers: JSON, or a problem document (RFC 9457) for what went wrong. */
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import { ClientGoneError, ContentionError, MissingResourceError, Problem, statusOf, toError } from '../../errors.ts';
import { isPassing } from '../../storage/retry-limits.ts';
import { log, withLog } from '../../telemetry/log.ts';
import { TimeLimitError } from '../../time-limit.ts';

export const PROBLEM_TYPE_BASE = 'https://sluice.example/problems/';
const RETRY_AFTER_SECONDS = '5';
/** As nginx logs it; nobody receives it. */
const CLIENT_GONE = 499;

/** A JSON answer. */
export const json = (body: unknown, init: Omit<HttpResponseInit, 'jsonBody'> = {}): HttpResponseInit => ({
  ...init,
  jsonBody: body,
});

type Handler = (request: HttpRequest, context: InvocationContext) => Promise<HttpResponseInit>;

/** Wraps a handler: its log lines go to the invocation, a Problem becomes its answer, anything else a 500, logged once. */
export const answering =
  (handler: Handler): Handler =>
  (request, context) =>
    withLog(context, async () => {
      try {
        return await handler(request, context);
      } catch (error) {
        return problemAnswer(error, new URL(request.url).pathname);
      }
    });

function problemAnswer(thrown: unknown, instance: string): HttpResponseInit {
  if (thrown instanceof Problem) {
    const { type, title, status, message: detail, errors } = thrown;
    return problem(status, { type, title, detail, instance, ...(errors.length > 0 ? { errors } : {}) });
  }
  if (thrown instanceof ClientGoneError) {
    log.info('client-gone', { instance });
    return { status: CLIENT_GONE };
  }
  const error = toError(thrown);
  log.error('request-failed', { instance, error });
  if (isBusy(thrown)) return problemAnswer(busy(thrown), instance);
  const detail = 'The request failed for a reason that is not yours. It is logged; it may be tried again.';
  return problem(500, { type: 'internal', title: 'Internal error', detail, instance });
}

/** A service was too busy, silent, out of reach or not set up, or others changed the same row, beyond all retries. */
function isBusy(thrown: unknown): boolean {
  const status = statusOf(thrown);
  if (status !== undefined) return isPassing(status);
  return BUSY.some((kind) => thrown instanceof kind) || (thrown instanceof Error && thrown.name === 'RestError');
}
const BUSY = [ContentionError, MissingResourceError, TimeLimitError];

const busy = (cause: unknown): Problem =>
  new Problem('busy', 'A service behind does not answer as it should. Try again in a while.', { cause });

function problem(status: number, fields: Record<string, unknown> & { type: string }): HttpResponseInit {
  const body = { ...fields, type: `${PROBLEM_TYPE_BASE}${fields.type}`, status };
  const wait = status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
  return { status, headers: { 'content-type': 'application/problem+json', ...wait }, body: JSON.stringify(body) };
}
