import { toError } from '../../errors.ts';
import type { Entry } from '../../queues/messages.ts';
import { log } from '../../telemetry/log.ts';
import { withTrace } from '../../telemetry/trace.ts';
import type { QueueAddress } from '../../workload/registry.ts';
import type { Lease } from '../lease.ts';
import { type CollectHereDeps, collectHere } from './collect-here.ts';
import {
  type ChunkDisposition,
  type DisposedReference,
  type PublishResultsDeps,
  publishResults,
} from './publish-results.ts';

/** Maximum wait of an ended chunk for the rest of its round. One message for all costs least, and no result waits long. */
const PUBLISH_MS = 5_000;

/** How often a round checks whether results wait: a long chunk must not delay those that have ended beside it. */
const CHECK_MS = 1_000;

export interface RoundPublisher {
  /** Adds the disposition of a reference, and publishes if the last time was long ago. Never rejects. */
  add: (entry: Entry<unknown>, disposition: ChunkDisposition) => Promise<void>;
  publish: () => Promise<void>;
  /** Stops the timer of a round that fails before its end. */
  stop: () => void;
}

/** Creates the publisher of one round. Its timer runs until `publish` or `stop`. */
export function createRoundPublisher(
  deps: PublishResultsDeps & CollectHereDeps,
  address: QueueAddress,
  { lease, trace }: { lease: Lease; trace: string | undefined },
): RoundPublisher {
  let waiting: DisposedReference[] = [];
  let lastMs = deps.gate.now();

  const publishWaiting = async (): Promise<void> => {
    let part: readonly DisposedReference[] = waiting;
    [waiting, lastMs] = [[], deps.gate.now()];
    try {
      await withTrace(trace, async () => {
        part = await collectHere(deps, address, part, lease);
        await publishResults(deps, address, part, lease);
      });
    } catch (error) {
      // Published again with the rest: what was already published counts as a repeat.
      waiting = [...part, ...waiting];
      throw error;
    }
  };
  const publishEarly = async (): Promise<void> => {
    try {
      await publishWaiting();
    } catch (error) {
      log.warn('results-deferred', { queue: address.queue, error: toError(error) });
    }
  };
  let early: Promise<unknown> = Promise.resolve();
  const publishIfDue = async (): Promise<void> => {
    if (waiting.length === 0 || deps.gate.now() - lastMs < PUBLISH_MS) return;
    const part = publishEarly();
    early = Promise.all([early, part]);
    await part;
  };
  const timer = setInterval(publishIfDue, CHECK_MS);
  return {
    add: async (entry, disposition) => {
      waiting.push({ entry, disposition });
      await publishIfDue();
    },
    publish: async () => {
      clearInterval(timer);
      // What an earlier part could not publish is in the rest.
      await early;
      await publishWaiting();
    },
    stop: () => clearInterval(timer),
  };
}
