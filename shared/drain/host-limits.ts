/** The limits of activities in host.json, so that waves and invocations are judged by the actual ones. */
import { z } from 'zod';
import type { DurableBackend } from '../cost/deployed.ts';
import type { ActivityLimits } from '../gate/heartbeat.ts';
import type { Workload } from '../workload/define.ts';
import type { Registry } from '../workload/registry.ts';

export interface HostLimits extends ActivityLimits {
  /**
   * Time limit of one invocation (`functionTimeout`); Infinity if it has none. The platform ends the worker process of an
   * invocation that exceeds it, with everything else that runs there.
   */
  functionSeconds: number;
  /** Where the Durable extension stores its state; receipts are calculated for it. */
  durableBackend: DurableBackend;
}

/** For what follows the latest end of an item: ending a blocked thread, storing the outcome, sending results. */
const END_SECONDS = 30;
/** Time that every invocation must have for items: with less, a drain could return the same messages indefinitely. */
const BEGIN_SECONDS = 10;
/** Time before the limit at which a slice ends although its work continues, because a service does not respond. */
const ABANDON_SECONDS = 10;

const UNIT_SECONDS = [1, 60, 3_600, 86_400];

/** Seconds of a .NET time span of whole seconds: `[d.]hh:mm:ss`. */
const timeSpanSchema = z
  .string()
  .regex(/^(\d+\.)?\d\d:\d\d:\d\d$/, 'expected a time span such as 00:01:00')
  .transform((text) =>
    text
      .split(/[.:]/)
      .reverse()
      .reduce((sum, part, index) => sum + Number(part) * (UNIT_SECONDS[index] ?? 0), 0),
  );

const NO_TIMEOUT = '-1';

/** The Durable Task Scheduler documents no visibility timeout. A minute is assumed: its connection ends with the process. */
const storageProviderSchema = z.preprocess(
  (given: { type?: string } | undefined) =>
    isScheduler(given?.type) ? { ...given, workItemQueueVisibilityTimeout: '00:01:00' } : given,
  z.object({ type: z.string().optional(), workItemQueueVisibilityTimeout: timeSpanSchema }),
);
const isScheduler = (type: string | undefined): boolean => type?.toLowerCase() === 'azuremanaged';

const hostSchema = z.object({
  functionTimeout: z.union([z.literal(NO_TIMEOUT).transform(() => Number.POSITIVE_INFINITY), timeSpanSchema]),
  extensions: z.object({
    durableTask: z.object({
      maxConcurrentActivityFunctions: z.int().min(1),
      storageProvider: storageProviderSchema,
    }),
  }),
});

/**
 * Reads the limits of activities from the content of host.json.
 * @throws Error that lists each missing or invalid field.
 */
export function readHostLimits(hostJson: unknown): HostLimits {
  const { data, error } = hostSchema.safeParse(hostJson);
  if (error) throw new Error(`host.json is not usable: ${z.prettifyError(error)}`);
  const { maxConcurrentActivityFunctions, storageProvider } = data.extensions.durableTask;
  return {
    functionSeconds: data.functionTimeout,
    concurrentActivities: maxConcurrentActivityFunctions,
    activityVisibilitySeconds: storageProvider.workItemQueueVisibilityTimeout,
    durableBackend: isScheduler(storageProvider.type) ? 'dts' : 'azureStorage',
  };
}

/** Returns how long after the start of its invocation an item of a workload may begin, in seconds. */
export const beginSeconds = (
  { functionSeconds }: Pick<HostLimits, 'functionSeconds'>,
  { timeoutSeconds }: Pick<Workload, 'timeoutSeconds'>,
): number => functionSeconds - timeoutSeconds - END_SECONDS;

/** Returns how long after the start of its invocation a slice ends even if its work continues, in seconds. */
export const abandonSeconds = ({ functionSeconds }: Pick<HostLimits, 'functionSeconds'>): number =>
  functionSeconds - ABANDON_SECONDS;

/**
 * Checks that the items of each workload fit into an invocation.
 * @throws Error that lists each workload whose items could never begin.
 */
export function checkTimeouts(
  host: Pick<HostLimits, 'functionSeconds'>,
  { workloads }: Pick<Registry, 'workloads'>,
): void {
  const problems = workloads
    .filter((workload) => beginSeconds(host, workload) < BEGIN_SECONDS)
    .map(({ name, timeoutSeconds }) => `${name} (${timeoutSeconds} s)`);
  if (problems.length === 0) return;
  const most = host.functionSeconds - END_SECONDS - BEGIN_SECONDS;
  throw new Error(
    `functionTimeout in host.json allows a timeoutSeconds of at most ${most}. It is longer for: ${problems.join(', ')}.`,
  );
}
