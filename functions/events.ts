/** Registers what runs by events of the topic. */
import { app } from '@azure/functions';
import { createCoalesce } from '../shared/events/coalesce.ts';
import { onEvents } from '../shared/events/on-events.ts';
import { wake } from '../shared/gate/gate.ts';
import { durableClient, getDrainClient, invoke, pipeline } from './app.ts';

const { registry, settings } = pipeline;

/**
 * In milliseconds. Well below the time that a drain waits for more work, so that coalesced wakes reach it while it still runs.
 */
const coalesce = createCoalesce(250);
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
