import { app } from '@azure/functions';
import { withLog } from '../shared/telemetry/log.ts';
import { createCoalesce } from '../shared/wake/events/coalesce.ts';
import { onEvents } from '../shared/wake/events/on-events.ts';
import { durableClient, getDrainClient, pipeline } from './app.ts';

const { registry, settings } = pipeline;

/** Well below what a drain waits for more before it lets go: the wakes that are held together find it at work. */
const coalesce = createCoalesce(250);
const account = (): string => pipeline.clients().account;

app.serviceBusTopic('wake-drain', {
  connection: 'SluiceServiceBus',
  topicName: settings.topic,
  subscriptionName: settings.subscription,
  cardinality: 'many',
  extraInputs: [durableClient],
  handler: (events, context) =>
    withLog(context, () =>
      onEvents(
        { registry, pool: settings.pool, account, coalesce, spending: pipeline.deps().spending },
        events as unknown[],
        () => pipeline.gateWith(getDrainClient(context)),
      ),
    ),
});
