/** The messages of a contender's process, and its measurement of itself. */

/** A run, as measured by its process. */
export interface Done {
  items: number;
  seconds: number;
  enqueueSeconds?: number;
  /** Of this process and its threads. */
  cpuSeconds: number;
  /** Peak memory of the process. */
  peakBytes: number;
  /** Digest of the report, if all items were processed. */
  report?: string;
}

const KiB = 1024;
const MICROSECONDS = 1_000_000;

/** Runs `work`, and measures time, CPU and memory of this process. */
export async function measured<T>(
  work: () => Promise<T>,
): Promise<{ value: T } & Pick<Done, 'seconds' | 'cpuSeconds' | 'peakBytes'>> {
  const before = process.cpuUsage();
  const start = performance.now();
  const value = await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(before);
  const peakBytes = process.resourceUsage().maxRSS * KiB;
  return { value, seconds, cpuSeconds: (user + system) / MICROSECONDS, peakBytes };
}

/** Carries out the orders of the parent process one by one; calls `end` when the parent disconnects. */
export function serveOrders<Order>(carryOut: (order: Order) => Promise<Done>, end: () => Promise<unknown>): void {
  process.on('message', (order: Order) => {
    carryOut(order).then(
      (done) => process.send?.(done),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on('disconnect', () => {
    void end().finally(() => process.exit(0));
  });
}
