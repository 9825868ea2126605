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
  type EndedReference,
  type PublishResultsDeps,
  publishResults,
} from './publish-results.ts';

/** How long a chunk that has ended waits for the rest of its round. One message for all costs least; nobody waits long. */
const PUBLISH_MS = 5_000;

/** What a round publishes of, and on whose behalf. */
export interface RoundPublisherOptions {
  lease: Lease;
  trace: string | undefined;
  /** Done before the first chunk; published with the first results. */
  operations: Operations;
  /** The drain. */
  generation: number;
}

/** Publishes the results of a round, in parts if it lasts. */
export interface RoundPublisher {
  /** Takes what became of a reference, and what that cost here, without its handlers; publishes when the last time is long ago. Never rejects. */
  add: (entry: Entry<unknown>, disposition: ChunkDisposition, operations: Operations) => Promise<void>;
  /** Publishes what is left. */
  publish: () => Promise<void>;
}

/** Makes the publisher of one round. */
export function createRoundPublisher(
  deps: PublishResultsDeps & CollectHereDeps,
  address: QueueAddress,
  { lease, trace, operations: first, generation }: RoundPublisherOptions,
): RoundPublisher {
  let waiting: EndedReference[] = [];
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
      // Published once more with the rest: what was published already is a repeat.
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
