import { Logger } from 'graphile-worker';

/** Name of the task. */
export const TASK = 'item';
/** The schema of its tables. */
export const SCHEMA = 'sluice_bench_graphile';

const CONCURRENT_JOBS = 24;

/** The batching that worker.graphile.org/docs/performance uses for its own figures. */
export const graphilePreset = (connectionString: string): GraphileConfig.Preset => ({
  worker: {
    connectionString,
    schema: SCHEMA,
    concurrentJobs: CONCURRENT_JOBS,
    maxPoolSize: CONCURRENT_JOBS + 1,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
    logger: new Logger(() => (level, message) => {
      if (level === 'error' || level === 'warning') console.error(message);
    }),
  },
});
