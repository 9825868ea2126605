/** Registers what runs by the clock. */
import { app } from '@azure/functions';
import { scanInbox } from '../shared/intake/inbox/inbox.ts';
import { sweep } from '../shared/sweep/sweep.ts';
import type { Registration } from './app.ts';

export function registerTimers({ durableClient, getDrainClient, invoke, pipeline }: Registration): void {
  const { registry, settings } = pipeline;
  app.timer('sweep', {
    schedule: settings.sweepSchedule,
    extraInputs: [durableClient],
    handler: (_timer, context) =>
      invoke('sweep', context, async () => {
        await sweep(pipeline.sweepDeps(getDrainClient(context)));
      }),
  });
  // Each run costs a listing, even if the inbox is unused. Without a schedule, no timer is registered.
  if (settings.inboxSchedule !== undefined) {
    app.timer('scan-inbox', {
      schedule: settings.inboxSchedule,
      extraInputs: [durableClient],
      handler: (_timer, context) =>
        invoke('inbox', context, async () => {
          await scanInbox({ ...pipeline.requestDeps(getDrainClient(context)), registry, settings });
        }),
    });
  }
}
