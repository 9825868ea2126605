/** Creates result messages below the size limit, and splits a message that the service refuses because of its content. */
import { resultsQueueName } from '../../contract/names.ts';
import { type DoneChunk, fitsMessage, type ResultMessage } from '../../contract/reference.ts';
import { chargeBatches } from '../../cost/account.ts';
import { isRefused } from '../../errors.ts';
import type { WorkPut } from '../../events/publish.ts';
import type { GateDeps } from '../../gate/gate.ts';
import { putMessage, type Queue } from '../../queues/messages.ts';
import type { Services } from '../../queues/services.ts';
import { log } from '../../telemetry/log.ts';
import { currentTraceparent } from '../../telemetry/trace.ts';
import type { QueueAddress } from '../../workload/registry.ts';

export interface ResultDeps extends Pick<Services, 'queues'> {
  gate: Pick<GateDeps, 'now'>;
}

export interface DoneChunks {
  from: Pick<QueueAddress, 'queue' | 'workload'>;
  chunks: DoneChunk[];
}

/** The result of putting chunks: the number of items, the bytes of the message texts, and the chunks that were refused. */
export interface ResultsPut extends WorkPut {
  refused: DoneChunk[];
}

/**
 * Puts the outcomes of chunks on the results queue, usually as one message, with what was spent for their batches. Those
 * that the service refuses even in their shortest form are logged and returned, and the others are put. Throws any other
 * error.
 */
export async function putResults(deps: ResultDeps, { from, chunks }: DoneChunks): Promise<ResultsPut> {
  const queue = deps.queues(resultsQueueName(from.workload.name));
  const { operations, stored } = chargeBatches(chunks.map(({ batch }) => batch));
  const message: ResultMessage = {
    v: 1,
    workload: from.workload.name,
    queue: from.queue,
    chunks,
    operations,
    at: new Date(deps.gate.now()).toISOString(),
    traceparent: currentTraceparent(),
  };
  const put: ResultsPut = { items: 0, payloadBytes: 0, refused: [] };
  await putApart(queue, message, put, ({ operations: own }) => own === operations && stored());
  return put;
}

/** Puts the message, and adds to `put` what was put or refused. */
async function putApart(
  queue: Queue,
  message: ResultMessage,
  put: ResultsPut,
  onPut: (message: ResultMessage) => unknown,
): Promise<void> {
  const smaller = reduced(message);
  if (smaller.length === 0 || fitsMessage(message)) {
    try {
      put.payloadBytes += await putMessage(queue, message);
      onPut(message);
      put.items += message.chunks.reduce((sum, { header }) => sum + header.counts.items, 0);
      return;
    } catch (error) {
      if (!isRefused(error)) throw error;
      if (smaller.length === 0) put.refused.push(...logRefused(queue, message, error));
    }
  }
  for (const each of smaller) await putApart(queue, each, put, onPut);
}

/**
 * Returns the same content in smaller messages: the halves, of which the first keeps the operations; of a single chunk, its
 * header without the causes, which are the only text in it from outside. Empty if nothing can be omitted.
 */
function reduced(message: ResultMessage): ResultMessage[] {
  const { chunks } = message;
  const [chunk] = chunks;
  if (chunks.length > 1) {
    const half = Math.ceil(chunks.length / 2);
    const rest = { ...message, chunks: chunks.slice(half), operations: {} };
    return [{ ...message, chunks: chunks.slice(0, half) }, rest];
  }
  if (chunk?.header.causes === undefined) return [];
  const { causes: _causes, ...header } = chunk.header;
  return [{ ...message, chunks: [{ ...chunk, header }] }];
}

function logRefused({ name }: Queue, { chunks }: ResultMessage, error: unknown): DoneChunk[] {
  for (const { batch, chunk } of chunks) log.error('message-refused', { queue: name, batch, chunk, error });
  return chunks;
}
