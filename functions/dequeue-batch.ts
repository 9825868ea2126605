import * as df from 'durable-functions';
import type { DequeueInput } from '../shared/drain/activities.ts';
import { withLog } from '../shared/telemetry/log.ts';
import { pipeline } from './app.ts';

df.app.activity('dequeue-batch', {
  handler: (input: DequeueInput, context) => withLog(context, () => pipeline.activities().dequeueBatch(input)),
});
