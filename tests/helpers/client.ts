/** A client of the pipeline's HTTP API for tests. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BatchState, isFinished } from '../../shared/batches/batch-row.ts';
import type { TestStack } from './stack.ts';

/** The parts of a stack that a client needs. */
type Stack = Pick<TestStack, 'api'>;

export interface BatchAnswer {
  id: string;
  state: BatchState;
  lane: string;
  counts: Record<'accepted' | 'succeeded' | 'dead' | 'cancelled' | 'pending' | 'retried' | 'duplicatesSeen', number>;
  chunks: { total: number; done: number };
  source: { kind: string; name: string };
  revision: number;
  deadline: { met: boolean | null };
  blocked?: { queue: string; reason: string };
}

type Body = string | Buffer | ReadableStream<Uint8Array>;

/** Sends items to a workload, and expects them to be accepted. */
export async function send(
  stack: Stack,
  workload: string,
  items: readonly unknown[],
  query = '',
): Promise<BatchAnswer> {
  const response = await stack.api(`workloads/${workload}/batches${query}`, {
    method: 'POST',
    body: items.map((item) => JSON.stringify(item)).join('\n'),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  if (response.status !== 202) throw new Error(`Expected 202, got ${response.status}: ${await response.text()}`);
  return (await response.json()) as BatchAnswer;
}

/** Ends the present pause of a queue or a batch. */
export async function resume({ api }: Stack, subject: `queues/${string}` | `batches/${string}`): Promise<Response> {
  const { paused } = (await (await api(subject)).json()) as { paused?: { since: string } | null };
  return api(`${subject}/resume`, { method: 'POST', body: JSON.stringify({ since: paused?.since }) });
}

/** Posts a batch to billing; NDJSON unless `headers` say otherwise. */
export function post(stack: Stack, body: Body, headers: Record<string, string> = {}, query = ''): Promise<Response> {
  return stack.api(`workloads/billing/batches${query}`, {
    method: 'POST',
    body: typeof body === 'string' || body instanceof ReadableStream ? body : new Uint8Array(body),
    headers: { 'content-type': 'application/x-ndjson', ...headers },
    // Node's fetch requires it for a streamed body.
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
}

/** Posts a batch that must be accepted. */
export async function submit(
  stack: Stack,
  body: Body,
  headers: Record<string, string> = {},
  query = '',
): Promise<BatchAnswer> {
  const response = await post(stack, body, headers, query);
  if (response.status !== 202) throw new Error(`Expected 202, got ${response.status}: ${await response.text()}`);
  return (await response.json()) as BatchAnswer;
}

/** Polls a batch until it is finished. */
export async function finished(stack: Stack, id: string, seconds = 60): Promise<BatchAnswer> {
  for (let left = seconds * 5; left > 0; left -= 1) {
    const batch = await ask(stack, id);
    if (batch && isFinished(batch.state)) return batch;
    await sleep(200);
  }
  throw new Error(`Batch ${id} is not finished after ${seconds} s: ${JSON.stringify(await ask(stack, id))}`);
}

/** The batch, or undefined while the host is unavailable. */
export async function ask(stack: Stack, id: string): Promise<BatchAnswer | undefined> {
  try {
    return (await (await stack.api(`batches/${id}`)).json()) as BatchAnswer;
  } catch {
    return undefined;
  }
}

/** The report's rows by key. */
export async function report(stack: Stack, id: string): Promise<Record<string, unknown>> {
  const text = await (await stack.api(`batches/${id}/report`)).text();
  const rows = text.split('\n').filter((line) => line !== '');
  return Object.fromEntries(rows.map((line) => JSON.parse(line)).map(({ key, value }) => [key, value]));
}

/** A queue in the form of `GET queues`. */
export interface QueueAnswer {
  generation: number;
  queue: string;
  status: string;
  depth: number;
  active: number;
  paused?: { by: string; reason: string } | null;
  missedWakes: number;
  taskLimit: number;
}

/** One queue of the list. */
export async function queueOf(stack: Stack, queue: string): Promise<QueueAnswer | undefined> {
  const { queues } = (await (await stack.api('queues')).json()) as { queues: QueueAnswer[] };
  return queues.find((each) => each.queue === queue);
}

/** Dead letters by index, with reason and message. */
export async function deadLetters(
  stack: Stack,
  id: string,
): Promise<Record<number, { reason: string; message: string; attempts: number }>> {
  const answer = await stack.api(`batches/${id}/dead-letters`, { headers: { accept: 'application/x-ndjson' } });
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  return Object.fromEntries(
    lines
      .map((line) => JSON.parse(line))
      .map(({ index, reason, error, attempts }) => [
        index,
        { reason, message: error.message, attempts: attempts.length },
      ]),
  );
}
