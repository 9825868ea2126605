/** How every HTTP function answers: JSON, or a problem document (RFC 9457) for what went wrong; with what it cost. */
import type { HttpRequest, HttpResponseInit, InvocationContext } from '@azure/functions';
import { addOperations, type Operations, subtractOperations } from '../../contract/operations.ts';
import type { Meter } from '../../cost/meter.ts';
import type { Overhead } from '../../cost/overhead.ts';
import type { PriceSheet } from '../../cost/sheet.ts';
import { ClientGoneError, ContentionError, MissingResourceError, Problem, statusOf, toError } from '../../errors.ts';
import { isPassing } from '../../storage/policies/retry-limits.ts';
import { log, withLog } from '../../telemetry/log.ts';
import { TimeLimitError } from '../../time-limit.ts';
import { textBody } from './body.ts';
import { COST_HEADER, costOf } from './cost-header.ts';

export const PROBLEM_TYPE_BASE = 'https://sluice.example/problems/';
const RETRY_AFTER_SECONDS = '5';
/** As nginx logs it; nobody receives it. */
const CLIENT_GONE = 499;

/** A JSON answer. */
export const json = (body: unknown, init: Omit<HttpResponseInit, 'jsonBody'> = {}): HttpResponseInit => ({
  ...init,
  jsonBody: body,
});

/** What a handler answers with. */
export interface Answer extends HttpResponseInit {
  /** The body, made while it is sent; in place of `body`. */
  stream?: AnswerStream;
}

/** A body made while it is sent. */
export interface AnswerStream {
  pieces: AsyncIterable<string>;
  /** All that making the pieces costs: the headers, which say it, are sent first. Not counted with the handler. */
  operations: Operations;
}

type Asked = [request: HttpRequest, context: InvocationContext];
export type Handler = (...asked: Asked) => Promise<Answer>;

export interface AnsweringDeps {
  meter: Pick<Meter, 'measure' | 'record'>;
  overhead: Pick<Overhead, 'add'>;
  prices: PriceSheet;
  nowMs: () => number;
  /** What `record` does for a function that succeeds: the batch that it is about pays for it. */
  recording: (asked: Asked) => Operations;
  /** Called with each answer before it is sent, at the cost of its request. Must not throw. */
  record: (asked: Asked, status: number) => Promise<void>;
}

/**
 * Makes the wrapper of all handlers. Log lines go to the invocation, a Problem becomes its answer, anything else a 500,
 * logged once. Each answer has the header `sluice-cost`.
 */
export const createAnswering =
  ({ meter, overhead, prices, nowMs, recording, record }: AnsweringDeps) =>
  (handler: Handler): ((...asked: Asked) => Promise<HttpResponseInit>) =>
  (...asked) =>
    withLog(asked[1], async () => {
      const beganMs = nowMs();
      const { value, operations, unrecorded } = await meter.measure(async () => {
        const expected = recording(asked);
        // Whoever records what the request has done records that as well.
        meter.record(subtractOperations({}, expected));
        const answer = await answerOrProblem(asked, () => handler(...asked));
        meter.record(expected);
        await record(asked, answer.status ?? 200);
        return answer;
      });
      overhead.add('requests', unrecorded);
      const { stream, ...answer } = value;
      const sent = stream ? await answerOrProblem(asked, () => streamed(answer, stream)) : answer;
      const all = addOperations(operations, stream?.operations ?? {});
      const cost = costOf({ operations: all, seconds: (nowMs() - beganMs) / 1_000 }, prices);
      return { ...sent, headers: { ...Object.fromEntries(new Headers(sent.headers)), [COST_HEADER]: cost } };
    });

const streamed = async (answer: HttpResponseInit, { pieces }: AnswerStream): Promise<HttpResponseInit> => ({
  ...answer,
  body: await textBody(pieces),
});

async function answerOrProblem([request]: Asked, make: () => Promise<Answer>): Promise<Answer> {
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
