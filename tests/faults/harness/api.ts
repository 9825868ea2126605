/** A client that repeats each request while the app or its services are unavailable. */
import { setTimeout as sleep } from 'node:timers/promises';

/** A batch in the form of the API, with the fields that the checks need. */
export interface BatchStatus {
  id: string;
  state: string;
  counts: { accepted: number; succeeded: number; dead: number; cancelled: number; pending: number; retried: number };
  paused?: { since: string };
}

export interface Api {
  /** The id of the accepted batch. */
  submit(workload: string, key: string, body: string, tries?: RetryOptions): Promise<string>;
  status(id: string): Promise<BatchStatus>;
  /** Cancels a batch; returns false if it has ended otherwise and stays unchanged. */
  cancel(id: string): Promise<boolean>;
  /**
   * Pauses a batch, and repeats the request while the batch is being accepted; returns false if it has ended or is
   * being cancelled.
   */
  pause(id: string): Promise<boolean>;
  /** Resumes a batch; returns false if it is not paused (any more), and with `once` after one failed request. */
  resume(id: string, tries?: { once?: boolean }): Promise<boolean>;
  results(id: string): Promise<unknown[]>;
  deadLetters(id: string): Promise<unknown[]>;
  report(id: string): Promise<{ key: string; value: unknown }[]>;
  /** Runs one sweep; returns false if it failed. */
  sweep(): Promise<boolean>;
}

export interface RetryOptions {
  untilMs?: number;
  /** Called for every unexpected response. */
  onRefused?: (what: string) => void;
}

const NDJSON = 'application/x-ndjson';
const REQUEST_MS = 30_000;
const PAUSE_MS = 250;
const GIVE_UP_MS = 180_000;

/** The app did not respond in time. */
export class ApiError extends Error {
  override name = 'ApiError';
}

/**
 * The API of an app at `url`; requests are repeated until they succeed. `key`: a function key, if keys are enforced.
 */
export function createApi(url: string, key = ''): Api {
  const auth = { 'x-functions-key': key };
  const text = async (path: string, accept = '*/*'): Promise<string> =>
    (await persist(`${url}/api/${path}`, { headers: { ...auth, accept } })).text();
  const lines = async (path: string): Promise<unknown[]> => parseLines(await text(path, NDJSON));
  /** Repeats a request until it succeeds (true) or is finally refused (false). */
  const command = async (path: string, refused: RegExp, { once = false, body = '' } = {}): Promise<boolean> => {
    const untilMs = Date.now() + GIVE_UP_MS;
    for (;;) {
      const answer = await attempt(`${url}/api/${path}`, { method: 'POST', headers: auth, body });
      if (typeof answer !== 'string') return true;
      if (once || refused.test(answer)) return false;
      if (Date.now() > untilMs) throw new ApiError(`POST ${path}: ${answer}`);
      await sleep(PAUSE_MS);
    }
  };
  const status = async (id: string): Promise<BatchStatus> => JSON.parse(await text(`batches/${id}`)) as BatchStatus;
  return {
    submit: async (workload, idempotencyKey, body, tries) => {
      const headers = { ...auth, 'content-type': NDJSON, 'idempotency-key': idempotencyKey };
      const init = { method: 'POST', headers, body };
      const answer = await persist(`${url}/api/workloads/${workload}/batches`, init, tries);
      return ((await answer.json()) as { id: string }).id;
    },
    status,
    cancel: (id) => command(`batches/${id}/cancel`, /^409/),
    pause: (id) => command(`batches/${id}/pause`, /^409 .*(nothing to pause|being cancelled)/s),
    resume: async (id, tries) => {
      const body = JSON.stringify({ since: (await status(id)).paused?.since ?? '' });
      return command(`batches/${id}/resume`, /^409 .*is not paused/s, { ...tries, body });
    },
    results: (id) => lines(`batches/${id}/results`),
    deadLetters: (id) => lines(`batches/${id}/dead-letters`),
    report: async (id) => (await lines(`batches/${id}/report`)) as { key: string; value: unknown }[],
    sweep: async () => {
      try {
        const signal = AbortSignal.timeout(REQUEST_MS);
        return (await fetch(`${url}/api/sweep`, { method: 'POST', headers: auth, signal })).ok;
      } catch {
        return false;
      }
    },
  };
}

const parseLines = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

async function persist(url: string, init: RequestInit = {}, tries: RetryOptions = {}): Promise<Response> {
  const { untilMs = Date.now() + GIVE_UP_MS, onRefused = () => {} } = tries;
  for (;;) {
    const answer = await attempt(url, init);
    if (typeof answer !== 'string') return answer;
    onRefused(answer);
    if (Date.now() > untilMs) throw new ApiError(`${init.method ?? 'GET'} ${url}: ${answer}`);
    await sleep(PAUSE_MS);
  }
}

/** The whole response, or a text that says why there was none. */
async function attempt(url: string, init: RequestInit): Promise<Response | string> {
  try {
    const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(REQUEST_MS) });
    const body = await answer.arrayBuffer();
    return answer.ok ? new Response(body) : `${answer.status} ${Buffer.from(body).toString('utf8').slice(0, 300)}`;
  } catch (error) {
    return String(error);
  }
}
