/** What host.json says about activities. It is read from there, so that a healthy wave is measured by what the host does. */
import { z } from 'zod';

export interface HostLimits {
  /** Activities that one instance runs at a time; sizes how long a wave may take before its silence means something. */
  concurrentActivities: number;
  /** After how long the runtime hands a crashed instance's activity to another. */
  activityVisibilitySeconds: number;
}

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

const hostSchema = z.object({
  extensions: z.object({
    durableTask: z.object({
      maxConcurrentActivityFunctions: z.int().min(1),
      storageProvider: z.object({ workItemQueueVisibilityTimeout: timeSpanSchema }),
    }),
  }),
});

/**
 * Reads the limits of activities from the content of host.json.
 * @throws Error naming each field that is missing or not of its form.
 */
export function readHostLimits(hostJson: unknown): HostLimits {
  const { data, error } = hostSchema.safeParse(hostJson);
  if (error) throw new Error(`host.json is not usable: ${z.prettifyError(error)}`);
  const { maxConcurrentActivityFunctions, storageProvider } = data.extensions.durableTask;
  return {
    concurrentActivities: maxConcurrentActivityFunctions,
    activityVisibilitySeconds: storageProvider.workItemQueueVisibilityTimeout,
  };
}
