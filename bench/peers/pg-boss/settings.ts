import type { ConstructorOptions } from 'pg-boss';

/** Name of the queue. */
export const QUEUE = 'sluice-bench';

/** Of the process and of each of its threads. Maintenance runs once a minute, outside of what is measured. */
export const bossOptions = (connectionString: string): ConstructorOptions => ({
  connectionString,
  schema: 'sluice_bench_pgboss',
  max: 4,
  schedule: false,
  useListenNotify: true,
});
