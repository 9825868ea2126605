import * as df from 'durable-functions';
import { drainQueue } from '../shared/drain/drain-queue.ts';

df.app.orchestration('drain-queue', drainQueue as df.OrchestrationHandler);
