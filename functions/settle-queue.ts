import * as df from 'durable-functions';
import type { SettleQueueInput } from '../shared/drain/activities.ts';
import { withLog } from '../shared/telemetry/log.ts';
import { pipeline } from './app.ts';

df.app.activity('settle-queue', {
  handler: (input: SettleQueueInput, context) => withLog(context, () => pipeline.activities().settleQueue(input)),
});
