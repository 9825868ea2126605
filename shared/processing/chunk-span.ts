import type { OutcomeHeader } from '../contract/outcome.ts';
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
    span.setAttributes(
      typeof disposition === 'string' ? { 'sluice.disposition': disposition } : endAttributes(disposition.end.header),
    );
    // A repeat reads an existing outcome, and is not measured.
    if (typeof disposition !== 'string' && disposition.outcome) {
      const { workload, lane } = address;
      measureChunk({ workload: workload.name, lane }, disposition.end.header.handlerSeconds);
    }
    return disposition;
  });
}

const endAttributes = ({ ending, counts }: OutcomeHeader): Record<string, string | number> => ({
  'sluice.disposition': ending,
  'sluice.succeeded': counts.succeeded,
  'sluice.dead': counts.dead,
  'sluice.retried': counts.retried,
});
