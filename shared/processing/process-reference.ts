/** Processes one reference, and returns it to its queue if it did not start or failed. */
import type { Reference } from '../contract/reference.ts';
import { storableLine } from '../contract/text/text.ts';
import { isOutage, toError } from '../errors.ts';
import { NoSlotError } from '../slots.ts';
import { log } from '../telemetry/log.ts';
import { measureChunk } from '../telemetry/metrics.ts';
import { withSpan } from '../telemetry/trace.ts';
import type { QueueAddress } from '../workload/registry.ts';
import { type ChunkRound, decideChunk, type ReferenceDeps, type Work } from './decide-chunk.ts';
import { asReturned } from './lease.ts';
import type { ChunkDisposition } from './publish/publish-results.ts';
import { FAULT_RETRY_SECONDS, returnMessage } from './return-message.ts';
import { NotBegunError, ProcessorClosedError, ThreadStartError } from './threads/errors.ts';

export interface ReferenceRound extends ChunkRound {
  address: QueueAddress;
  /** Why no thread could start for a chunk of this round; empty at first. */
  startError: string;
}

/**
 * Processes one reference, in a separate span: one span per chunk is the minimum that still shows which chunk was slow. If
 * it fails, it is logged once and returned to the queue, and the other references continue.
 */
export function processReference(deps: ReferenceDeps, work: Work, round: ReferenceRound): Promise<ChunkDisposition> {
  const { value, message } = work;
  const { address } = round;
  const { batch, chunk, items, traceparent: parent } = value;
  const attributes = {
    'sluice.batch': batch,
    'sluice.chunk': chunk,
    'sluice.items': items,
    'sluice.queue': address.queue,
    'sluice.delivery': message.dequeueCount,
  };
  return withSpan('sluice.chunk', { parent, kind: 'consumer', attributes }, async (span) => {
    const disposition = await decideOrReturn(deps, work, round);
    if (typeof disposition === 'string') {
      span.setAttributes({ 'sluice.disposition': disposition });
      return disposition;
    }
    const { ending, counts, handlerSeconds } = disposition.done.header;
    const { succeeded, dead, retried } = counts;
    span.setAttributes({
      ...{ 'sluice.disposition': ending, 'sluice.succeeded': succeeded },
      ...{ 'sluice.dead': dead, 'sluice.retried': retried },
    });
    const { workload, lane } = address;
    // A repeat reads an existing outcome, and is not measured.
    if (disposition.outcome) measureChunk({ workload: workload.name, lane }, handlerSeconds);
    return disposition;
  });
}

async function decideOrReturn(deps: ReferenceDeps, work: Work, round: ReferenceRound): Promise<ChunkDisposition> {
  const returnAfter = async (content: Reference | undefined, seconds: number): Promise<'returned'> => {
    await returnMessage(deps, work, { address: round.address, lease: round.lease, content, seconds });
    return 'returned';
  };
  try {
    if (round.time.isOver() || round.startError !== '') return await returnAfter(asReturned(work.value), 0);
    return await decideChunk(deps, work, round);
  } catch (error) {
    if (error instanceof NotBegunError || error instanceof NoSlotError) return returnAfter(asReturned(work.value), 0);
    const { batch, chunk } = work.value;
    if (error instanceof ThreadStartError) reportStartError(round, error);
    else log.warn('chunk-deferred', { batch, chunk, queue: round.address.queue, error: toError(error) });
    return returnAfter(contentAfter(error, work.value), FAULT_RETRY_SECONDS);
  }
}

/** Matches the folders of an absolute path or file URL: clients see the reason, and must not see the folders of the machine. */
const FOLDERS = /(?:file:\/\/)?(?:\b[A-Za-z]:)?(?<![\w.])[\\/](?:[^\s\\/'":]+[\\/])+/g;
/** Maximum length of the reason that the gate shows, on one line. */
const MAX_REASON_CHARS = 500;

/** Logs the error once per round, because its other chunks would fail with it too. The end of the wave writes it to the gate. */
function reportStartError(round: ReferenceRound, error: ThreadStartError): void {
  if (round.startError !== '') return;
  round.startError = storableLine(error.message.replaceAll(FOLDERS, ''), MAX_REASON_CHARS);
  log.error('thread-start-failed', { queue: round.address.queue, error });
}

/**
 * Returns the new content of a reference that failed with `error`; undefined (unchanged) if the chunk may have caused the
 * error. If a failing service interrupted its start, that says nothing about the chunk. It is marked as resent, because
 * the outcome may be stored although the answer was lost.
 */
function contentAfter(error: unknown, reference: Reference): Reference | undefined {
  if (error instanceof ThreadStartError) return asReturned(reference);
  if (!isOutage(error) && !(error instanceof ProcessorClosedError)) return undefined;
  return { ...asReturned(reference), resent: true };
}
