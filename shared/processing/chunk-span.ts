import type { Reference } from '../contract/reference.ts';
import type { Entry } from '../queues/messages.ts';
import { measureChunk } from '../telemetry/metrics.ts';
import { withSpan } from '../telemetry/trace.ts';
import type { QueueAddress } from '../workload/registry.ts';
import type { ChunkDisposition } from './publish/publish-results.ts';

/** Runs a reference in a separate span. One span per chunk is the minimum that still shows which chunk was slow. */
export function inChunkSpan(
  { value, message }: Entry<Reference>,
  address: QueueAddress,
  run: () => Promise<ChunkDisposition>,
): Promise<ChunkDisposition> {
  const { batch, chunk, items, traceparent: parent } = value;
  const attributes = {
    'sluice.batch': batch,
    'sluice.chunk': chunk,
    'sluice.items': items,
    'sluice.queue': address.queue,
    'sluice.delivery': message.dequeueCount,
  };
  return withSpan('sluice.chunk', { parent, kind: 'consumer', attributes }, async (span) => {
    const disposition = await run();
    if (typeof disposition === 'string') {
      span.setAttributes({ 'sluice.disposition': disposition });
      return disposition;
    }
    const { ending, counts, handlerSeconds } = disposition.end.header;
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
