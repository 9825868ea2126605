import { toError } from '../errors.ts';
import { log } from '../telemetry/log.ts';
import type { QueueAddress } from '../workload/registry.ts';
import type { Publish } from './publish.ts';

/**
 * Creates a publisher for callers that have another way to wake a queue: if a wake cannot be published, logs that and
 * runs `fallback`. Any other event fails the caller, which must repeat it: subscribers have no other way to get it.
 */
export const withWakeFallback =
  (publish: Publish, fallback: (address: QueueAddress) => Promise<unknown> | undefined): Publish =>
  async (address, event, options) => {
    try {
      await publish(address, event, options);
    } catch (error) {
      if (event.type !== 'QueueWorkDetected') throw error;
      log.warn('event-not-published', { queue: address.queue, error: toError(error) });
      await fallback(address);
    }
  };

/**
 * Creates a publisher that wakes the queue itself if the topic is unavailable, so that accepted work does not wait for
 * the sweep. A queue of another pool is left to that pool's sweep: its drain must not run in this app.
 * @param app `pool` of this app (undefined for all pools), and the `wake` of a queue, which can start a drain
 */
export const publishOrWake = (
  publish: Publish,
  app: { pool: string | undefined; wake: (queue: string) => Promise<unknown> },
): Publish =>
  withWakeFallback(publish, ({ queue, workload }) =>
    app.pool === undefined || app.pool === workload.pool ? app.wake(queue) : undefined,
  );
