import type { OutcomeHeader } from '../contract/outcome.ts';
import type { Reference } from '../contract/reference.ts';
import { measureChunk } from '../telemetry/metrics.ts';
import { withSpan } from '../telemetry/trace.ts';
import type { Entry } from '../wake/messages.ts';
import type { QueueAddress } from '../workload/registry.ts';
import type { Fate } from './tell-results.ts';

/** Runs a reference in a span of its own: a span a chunk is the least that still shows which one was slow. */
export function inChunkSpan(
  { value, message }: Entry<Reference>,
  address: QueueAddress,
  run: () => Promise<Fate>,
): Promise<Fate> {
  const { batch, chunk, items, traceparent: parent } = value;
  const attributes = {
    'sluice.batch': batch,
    'sluice.chunk': chunk,
    'sluice.items': items,
    'sluice.queue': address.queue,
    'sluice.delivery': message.dequeueCount,
  };
  return withSpan('sluice.chunk', { parent, kind: 'consumer', attributes }, async (span) => {
    const fate = await run();
    span.setAttributes(typeof fate === 'string' ? { 'sluice.fate': fate } : endAttributes(fate.end.header));
    measure(address, fate);
    return fate;
  });
}

/** Only what ran here and now: a repeat reads the outcome of another. */
function measure({ workload, lane }: QueueAddress, fate: Fate): void {
  if (typeof fate !== 'string' && fate.outcome)
    measureChunk({ workload: workload.name, lane }, fate.end.header.handlerSeconds);
}

const endAttributes = ({ ending, counts }: OutcomeHeader): Record<string, string | number> => ({
  'sluice.fate': ending,
  'sluice.succeeded': counts.succeeded,
  'sluice.dead': counts.dead,
  'sluice.retried': counts.retried,
});
