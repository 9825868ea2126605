/** The answers of all HTTP functions: JSON, or a problem document (RFC 9457) for an error. */
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import type { Overhead } from '../../cost/overhead.ts';
import { ClientGoneError, ContentionError, MissingResourceError, Problem, statusOf, toError } from '../../errors.ts';
import { isPassing } from '../../storage/policies/retry-limits.ts';
import { log, withLog } from '../../telemetry/log.ts';
import { TimeLimitError } from '../../time-limit.ts';
import { textBody } from './body.ts';
import { connectionOf } from './connection.ts';
import type { Answer, Route } from './route.ts';

export const PROBLEM_TYPE_BASE = 'https://sluice.example/problems/';
const RETRY_AFTER_SECONDS = '5';
/** The status that nginx logs for it; no client receives it. */
const CLIENT_GONE = 499;

/**
 * Of every answer, unless it has its own. An answer contains the data of its client or operator, which no cache on the way may
 * keep, and which no browser may take for a page.
 */
const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** A JSON answer. */
export const json = (body: unknown, init: Omit<HttpResponseInit, 'jsonBody'> = {}): HttpResponseInit => ({
  ...init,
  jsonBody: body,
});

type Call = [request: HttpRequest, context: InvocationContext];
export type Handler = (...call: Call) => Answer | Promise<Answer>;
/** The part of a route that its answers depend on. */
export type Answered = Pick<Route, 'name' | 'method' | 'audience'>;

export interface AnsweringDeps {
  overhead: Pick<Overhead, 'within'>;
  /** Called with each answer before it is sent; its operations count for the request. Must not throw. */
  record: (route: Answered, call: Call, status: number) => Promise<void>;
}

/**
 * Creates the wrapper of all handlers. It sends log lines to the invocation, and answers a Problem with its document and other
 * errors with 500, logged once.
 */
export const createAnswering =
  ({ overhead, record }: AnsweringDeps) =>
  (route: Answered, handler: Handler): ((...call: Call) => Promise<HttpResponseInit>) =>
  (...call) =>
    withLog(call[1], async () => {
      const { stream, ...answer } = await overhead.within('requests', async () => {
        const made = await answerOrProblem(call, () => handler(...call));
        await record(route, call, made.status ?? 200);
        return made;
      });
      const sent = stream
        ? await answerOrProblem(call, async () => ({
            ...answer,
            body: await textBody(stream, connectionOf(call[1].invocationId)),
          }))
        : answer;
      return { ...sent, headers: { ...HEADERS, ...Object.fromEntries(new Headers(sent.headers)) } };
    });

async function answerOrProblem([request]: Call, make: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await make();
  } catch (error) {
    return problemAnswer(error, new URL(request.url).pathname);
  }
}

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
  const detail = 'The request failed because of an internal error, which is logged. Try it again.';
  return problem(500, { type: 'internal', title: 'Internal error', detail, instance });
}

/** Whether a service was too busy, silent, unreachable or not set up, or a row changed concurrently beyond all retries. */
function isBusy(thrown: unknown): boolean {
  const status = statusOf(thrown);
  if (status !== undefined) return isPassing(status);
  return BUSY.some((kind) => thrown instanceof kind) || (thrown instanceof Error && thrown.name === 'RestError');
}
const BUSY = [ContentionError, MissingResourceError, TimeLimitError];

const busy = (cause: unknown): Problem =>
  new Problem('busy', 'A service that the app uses is busy or unavailable. Try again later.', { cause });

function problem(status: number, fields: Record<string, unknown> & { type: string }): HttpResponseInit {
  const body = { ...fields, type: `${PROBLEM_TYPE_BASE}${fields.type}`, status };
  const wait = status === 503 ? { 'retry-after': RETRY_AFTER_SECONDS } : {};
  return { status, headers: { 'content-type': 'application/problem+json', ...wait }, body: JSON.stringify(body) };
}
