import * as df from 'durable-functions';
import { drainQueue } from '../shared/drain/drain-queue.ts';

/** Registers the orchestration that drains a queue. */
export function registerDrainQueue(): void {
  df.app.orchestration('drain-queue', drainQueue as df.OrchestrationHandler);
}
