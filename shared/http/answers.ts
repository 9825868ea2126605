/** How every HTTP function answers: JSON, or a problem document (RFC 9457) for what went wrong. */
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import { Problem, toError } from '../errors.ts';
import { log, withLog } from '../telemetry/log.ts';

export const PROBLEM_TYPE_BASE = 'https://sluice.example/problems/';

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
  const error = toError(thrown);
  log.error('request-failed', { instance, error });
  const detail = 'The request failed for a reason that is not yours. It is logged; it may be tried again.';
  return problem(500, { type: 'internal', title: 'Internal error', detail, instance });
}

function problem(status: number, fields: Record<string, unknown> & { type: string }): HttpResponseInit {
  const body = { ...fields, type: `${PROBLEM_TYPE_BASE}${fields.type}`, status };
  return { status, headers: { 'content-type': 'application/problem+json' }, body: JSON.stringify(body) };
}
