/** What a round does with its outcomes: one result message for all of them, one wake, then the references are deleted. */
import { resultsQueueName } from '../contract/names.ts';
import { addOperations, type Operations } from '../contract/operations.ts';
import { type FinishedChunk, MAX_MESSAGE_BYTES, type Reference, type ResultMessage } from '../contract/reference.ts';
import { emptyTally, type Tally } from '../drain/slice.ts';
import { currentTraceparent } from '../telemetry/trace.ts';
import type { GateDeps } from '../wake/gate.ts';
import { type Entry, putMessage, type Queue } from '../wake/messages.ts';
import type { Publish } from '../wake/publish.ts';
import type { QueueAddress, Registry } from '../workload/registry.ts';
import type { Lease } from './lease.ts';
import type { ChunkOutcome } from './thread-task.ts';

export interface TellDeps {
  queues: (name: string) => Queue;
  publish: Publish;
  registry: Registry;
  gate: Pick<GateDeps, 'now'>;
}

/** What became of one reference: an outcome to report, nothing any more (its batch is gone, or settled), or to be tried again. */
export type Fate = { end: FinishedChunk; outcome?: ChunkOutcome } | 'ghost' | 'stale' | 'later';

export interface TellOptions {
  operations: Operations;
  lease: Lease;
  entries: Entry<Reference>[];
}

/** Result message, wake of the result queue, then the references are deleted: in this order a crash repeats, and loses nothing. */
export async function tellResults(
  deps: TellDeps,
  address: QueueAddress,
  fates: Fate[],
  options: TellOptions,
): Promise<void> {
  const ends = fates.flatMap((fate) => (typeof fate === 'string' ? [] : [fate.end]));
  if (ends.length > 0) {
    const name = resultsQueueName(address.workload.name);
    const operations = addOperations(options.operations, ownOperations(ends.length));
    for (const text of resultMessages(deps, address, ends, operations)) await putMessage(deps.queues(name), text);
    const results = deps.registry.queue(name);
    if (results) await deps.publish(results, { type: 'QueueWorkDetected' });
  }
  const over = options.entries.filter((_, index) => fates[index] !== 'later');
  await Promise.all(over.map(({ message }) => options.lease.finish(message.messageId)));
}

/** The receive before, and what telling the results is going to cost: that cannot be counted in the message it writes. */
const ownOperations = (references: number): Operations => ({
  'queue.get': 1,
  'queue.put': 1,
  'servicebus.send': 1,
  'queue.delete': references,
});

/** Texts of result messages: usually one; cut where it would grow over the limit. The operations are told once. */
export function resultMessages(
  deps: Pick<TellDeps, 'gate'>,
  address: Pick<QueueAddress, 'queue' | 'workload'>,
  ends: FinishedChunk[],
  operations: Operations,
): string[] {
  const message: ResultMessage = {
    v: 1,
    workload: address.workload.name,
    queue: address.queue,
    chunks: ends,
    operations,
    at: new Date(deps.gate.now()).toISOString(),
    traceparent: currentTraceparent(),
  };
  const text = JSON.stringify(message);
  if (ends.length === 1 || Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return [text];
  const half = Math.ceil(ends.length / 2);
  return [
    ...resultMessages(deps, address, ends.slice(0, half), operations),
    ...resultMessages(deps, address, ends.slice(half), {}),
  ];
}

/** What a round came to. */
export function tallyOf(received: number, fates: Fate[], operations: Tally['operations']): Tally {
  const tally = { ...emptyTally(), received, operations };
  for (const fate of fates) {
    if (fate === 'ghost') tally.ghosts += 1;
    if (typeof fate === 'string') continue;
    const { counts } = fate.end.header;
    tally.done += 1;
    tally.items += counts.items - counts.retried;
    tally.ran += fate.outcome?.ran ?? 0;
    tally.failures += fate.outcome?.failures ?? 0;
    tally.handlerSeconds += fate.outcome ? fate.end.header.handlerSeconds : 0;
  }
  return tally;
}
