import * as df from 'durable-functions';
import type { FinishWaveInput } from '../shared/drain/activities.ts';
import { withLog } from '../shared/telemetry/log.ts';
import { activities } from './app.ts';

df.app.activity('finish-wave', {
  handler: (input: FinishWaveInput, context) => withLog(context, () => activities().finishWave(input)),
});
