/**
 * The limits of activities in host.json. They are read from that file, so that the silence of a healthy wave is judged
 * by the host's actual limits.
 */
import { z } from 'zod';
import type { Wave } from './planning/plan.ts';

export interface HostLimits {
  /** Activities that one instance runs at the same time; determines how long a healthy wave may be silent. */
  concurrentActivities: number;
  /** Time after which the runtime hands an activity of a crashed instance to another one. */
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
 * @throws Error that lists each missing or invalid field.
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

/** slice x ceil(tasks / activities of one instance) + activity visibility + 2 slices: a healthy wave is never taken for dead. */
export const waveSeconds = (host: HostLimits, wave: Pick<Wave, 'tasks' | 'sliceSeconds'>): number =>
  wave.sliceSeconds * (Math.ceil(wave.tasks / host.concurrentActivities) + 2) + host.activityVisibilitySeconds;
