import type { ConstructorOptions } from 'pg-boss';

/** Name of the queue. */
export const QUEUE = 'sluice-bench';

/**
 * The options of the process and of each of its threads. Maintenance runs once per minute, outside the measured time.
 */
export const bossOptions = (connectionString: string): ConstructorOptions => ({
  connectionString,
  schema: 'sluice_bench_pgboss',
  max: 4,
  schedule: false,
  useListenNotify: true,
});
