import { addOperations, type Operations } from '../../contract/operations.ts';
import { toError } from '../../errors.ts';
import { log } from '../../telemetry/log.ts';
import { withTrace } from '../../telemetry/trace.ts';
import type { Entry } from '../../wake/messages.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { Lease } from '../lease.ts';
import { type CollectHereDeps, collectHere, type RoundPart } from './collect-here.ts';
import {
  type ChunkDisposition,
  type DisposedReference,
  type PublishResultsDeps,
  publishResults,
} from './publish-results.ts';

/** Maximum wait of an ended chunk for the rest of its round. One message for all costs least, and no result waits long. */
const PUBLISH_MS = 5_000;

/** The state of a round that its publisher needs. */
export interface RoundPublisherOptions {
  lease: Lease;
  trace: string | undefined;
  /** Operations before the first chunk; published with the first results. */
  operations: Operations;
  /** Generation of the drain. */
  generation: number;
}

/** Publishes the results of a round, in parts if it lasts long. */
export interface RoundPublisher {
  /**
   * Adds the disposition of a reference, and its operations in this thread (without its handlers). Publishes if the last
   * time was long ago. Never rejects.
   */
  add: (entry: Entry<unknown>, disposition: ChunkDisposition, operations: Operations) => Promise<void>;
  /** Publishes the rest. */
  publish: () => Promise<void>;
}

/** Creates the publisher of one round. */
export function createRoundPublisher(
  deps: PublishResultsDeps & CollectHereDeps,
  address: QueueAddress,
  { lease, trace, operations: first, generation }: RoundPublisherOptions,
): RoundPublisher {
  let waiting: DisposedReference[] = [];
  let operations = first;
  let lastMs = deps.gate.now();

  const publish = async (): Promise<void> => {
    const part: RoundPart = { waiting, operations };
    [waiting, operations, lastMs] = [[], {}, deps.gate.now()];
    try {
      await withTrace(trace, async () => {
        const rest = await collectHere(deps, address, part, { lease, generation });
        Object.assign(part, rest);
        await publishResults(deps, address, part.waiting, { operations: part.operations, lease, generation });
      });
    } catch (error) {
      // Published again with the rest: what was already published counts as a repeat.
      waiting = [...part.waiting, ...waiting];
      operations = addOperations(part.operations, operations);
      throw error;
    }
  };
  return {
    add: async (entry, disposition, cost) => {
      waiting.push({ entry, disposition });
      operations = addOperations(operations, cost);
      if (deps.gate.now() - lastMs < PUBLISH_MS) return;
      try {
        await publish();
      } catch (error) {
        log.warn('results-deferred', { queue: address.queue, error: toError(error) });
      }
    },
    publish,
  };
}
