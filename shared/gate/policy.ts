import { z } from 'zod';
import { MAX_RECEIVE } from '../contract/queue-limits.ts';

export const MAX_TASKS = 1_000;

/**
 * The scaling rule of a queue, as data that is read while a drain runs. `thresholds` are in ascending order: with fewer
 * than `below` items waiting, at most `tasks` dequeue tasks run; the last threshold has no `below`.
 */
export const policySchema = z
  .object({
    thresholds: z
      .array(z.object({ below: z.number().int().positive().optional(), tasks: z.number().int().min(1).max(MAX_TASKS) }))
      .min(1)
      .max(20),
    capacity: z.number().int().min(1).max(MAX_TASKS),
    /** Fraction of the capacity that bulk lanes leave free for sudden peaks. */
    headroom: z.number().min(0).max(0.9),
    /** Seconds of work that one task should get. */
    targetSeconds: z.number().min(0.1).max(600),
    /** Maximum number of messages per receive. If absent, the plan decides, up to 32. */
    receiveSize: z.number().int().min(1).max(MAX_RECEIVE).optional(),
    /** Minimum time in milliseconds from one receive of a task to its next; absent means 0. */
    receiveIntervalMs: z.number().int().min(0).max(60_000).optional(),
    /** Minimum number of waiting messages before an upload publishes a wake event. If absent, each upload publishes one. */
    notifyFrom: z.number().int().min(1).max(1_000_000).optional(),
  })
  .strict()
  .refine(({ thresholds }) => isAscending(thresholds.map(({ below }) => below)), {
    path: ['thresholds'],
    message: 'expected `below` in ascending order for each threshold except the last, which must have none',
  });
export type Policy = z.infer<typeof policySchema>;

const isAscending = (bounds: (number | undefined)[]): boolean =>
  bounds.every((below, index) =>
    index === bounds.length - 1 ? below === undefined : below !== undefined && below > (bounds[index - 1] ?? 0),
  );

/** The rule of the source, whose messages contain one item each. */
export const DEFAULT_POLICY: Policy = {
  thresholds: [{ below: 100, tasks: 10 }, { below: 1_000, tasks: 50 }, { tasks: 100 }],
  capacity: 100,
  headroom: 0.25,
  targetSeconds: 10,
};
