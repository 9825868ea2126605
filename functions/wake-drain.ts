import { app } from '@azure/functions';
import { withLog } from '../shared/telemetry/log.ts';
import { onEvents } from '../shared/wake/on-events.ts';
import { clients, durableClient, gateWith, getDrainClient, registry, settings } from './app.ts';

app.serviceBusTopic('wake-drain', {
  connection: 'SluiceServiceBus',
  topicName: settings.topic,
  subscriptionName: settings.subscription,
  cardinality: 'many',
  extraInputs: [durableClient],
  handler: (events, context) =>
    withLog(context, () =>
      onEvents({ registry, pool: settings.pool, account: () => clients().account }, events as unknown[], () =>
        gateWith(getDrainClient(context)),
      ),
    ),
});
