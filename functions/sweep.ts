import { app } from '@azure/functions';
import { sweep } from '../shared/sweep/sweep.ts';
import { withLog } from '../shared/telemetry/log.ts';
import { durableClient, getDrainClient, pipeline } from './app.ts';

const { settings } = pipeline;

app.timer('sweep', {
  schedule: settings.sweepSchedule,
  extraInputs: [durableClient],
  handler: (_timer, context) =>
    withLog(context, async () => {
      await pipeline.overhead.within('sweep', () => sweep(pipeline.sweepDeps(getDrainClient(context))));
    }),
});
