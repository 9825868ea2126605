/** Registers what runs by events of the topic. */
import { app } from '@azure/functions';
import { createCoalesce } from '../shared/events/coalesce.ts';
import { onEvents } from '../shared/events/on-events.ts';
import { wake } from '../shared/gate/gate.ts';
import type { Registration } from './app.ts';

/**
 * In milliseconds. Well below the time that a drain waits for more work, so that coalesced wakes reach it while it still runs.
 */
const COALESCE_MS = 250;

export function registerEvents({ durableClient, getDrainClient, invoke, pipeline }: Registration): void {
  const { registry, settings } = pipeline;
  const coalesce = createCoalesce(COALESCE_MS);
  const account = (): string => pipeline.clients().account;
  app.serviceBusTopic('wake-drain', {
    connection: 'SluiceServiceBus',
    topicName: settings.topic,
    subscriptionName: settings.subscription,
    cardinality: 'many',
    extraInputs: [durableClient],
    handler: (events, context) =>
      invoke('drains', context, () => {
        const bodies = events as unknown[];
        pipeline.meter.count('servicebus.receive', bodies.length);
        return onEvents({ registry, pool: settings.pool, account, coalesce }, bodies, (queue, put) =>
          wake(pipeline.gateWith(getDrainClient(context)), queue, put),
        );
      }),
  });
}
