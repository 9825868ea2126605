import type { StackKeys } from '../local/start.ts';

/** What the demo shows of a batch; docs/api.md has all of it. */
export interface Batch {
  id: string;
  lane: string;
  state: string;
  counts: Record<'accepted' | 'succeeded' | 'dead' | 'cancelled' | 'pending' | 'retried' | 'duplicatesSeen', number>;
  chunks: { total: number; done: number };
  ratePerSecond: number | null;
  latencyMs: { p50: number; p95: number; max: number } | null;
  reportProblem?: string;
  receipt?: { operations: Record<string, number>; handlerSeconds: number };
}

/** What the demo shows of a queue. */
export interface Queue {
  queue: string;
  workload: string;
  depth: number;
  active: number;
}

/** One line of a report. */
export interface ReportRow {
  key: string;
  value: unknown;
}

/** The pipeline's HTTP API, as far as the demo uses it. */
export interface SluiceApi {
  /** Where a client route is (`path` begins after `/api/`), and the headers that open it. */
  address(path: string): { url: string; headers: Record<string, string> };
  batch(id: string): Promise<Batch>;
  queues(): Promise<Queue[]>;
  report(id: string): Promise<ReportRow[]>;
}

/** The pipeline refused a request; the message has the status and its reason. */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(status: number, text: string) {
    super(`The pipeline answered ${status}: ${reasonOf(text)}`);
  }
}

const SETTLED = ['completed', 'completedWithDeadLetters', 'cancelled'];

/** Whether nothing more will happen to a batch. */
export const isSettled = ({ state }: Batch): boolean => SETTLED.includes(state);

/** A client of the pipeline at `url`. */
export function createApi(url: string, keys: StackKeys): SluiceApi {
  const address = (path: string, key = keys.function): ReturnType<SluiceApi['address']> => ({
    url: `${url}/api/${path}`,
    headers: { 'x-functions-key': key },
  });
  const get = async (path: string): Promise<string> => {
    const { url: target, headers } = address(path);
    const answer = await fetch(target, { headers });
    const text = await answer.text();
    if (!answer.ok) throw new ApiError(answer.status, text);
    return text;
  };
  return {
    address,
    batch: async (id) => JSON.parse(await get(`batches/${id}`)) as Batch,
    queues: async () => (JSON.parse(await get('queues')) as { queues: Queue[] }).queues,
    report: async (id) => readLines(await get(`batches/${id}/report`)),
  };
}

function readLines(text: string): ReportRow[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as ReportRow);
}

/** The reason of a problem document, with the place in the upload that it names. */
function reasonOf(text: string): string {
  try {
    const {
      title,
      detail,
      errors = [],
    } = JSON.parse(text) as {
      title?: string;
      detail?: string;
      errors?: { line: number; column: number; message: string }[];
    };
    const reason = detail ?? title ?? text;
    // A single fault stands in the detail already.
    const places = errors.map(({ line, column, message }) => `\n  line ${line}, column ${column}: ${message}`);
    return errors.length > 1 ? `${reason}${places.join('')}` : reason;
  } catch {
    return text;
  }
}
