import { z } from 'zod';
import { MAX_RECEIVE } from '../../wake/max-receive.ts';

/** Most tasks that any policy allows a wave. */
export const MAX_TASKS = 1_000;

/**
 * The scaling rule of a queue, as data that is read while a drain runs. `thresholds` in ascending order: with fewer
 * than `below` items waiting, at most `tasks` dequeue tasks; the last one has no `below`.
 */
export const policySchema = z
  .object({
    thresholds: z
      .array(z.object({ below: z.number().int().positive().optional(), tasks: z.number().int().min(1).max(MAX_TASKS) }))
      .min(1)
      .max(20),
    /** Most tasks of one wave. */
    capacity: z.number().int().min(1).max(MAX_TASKS),
    /** Share of the capacity that bulk lanes leave free for sudden peaks. */
    headroom: z.number().min(0).max(0.9),
    /** Seconds of work that one task should get. */
    targetSeconds: z.number().min(0.1).max(600),
    /** Most messages of one receive; absent: as many as the plan gives, up to 32. */
    receiveSize: z.number().int().min(1).max(MAX_RECEIVE).optional(),
    /** Shortest time in milliseconds from one receive of a task to its next; absent: 0. */
    receiveIntervalMs: z.number().int().min(0).max(60_000).optional(),
    /** Messages that must wait in the queue before an upload publishes a wake event; absent: each publishes one. */
    notifyFrom: z.number().int().min(1).max(1_000_000).optional(),
  })
  .strict()
  .refine(({ thresholds }) => isAscending(thresholds.map(({ below }) => below)), {
    path: ['thresholds'],
    message: 'expected ascending `below`, and none at the last threshold alone',
  });
export type Policy = z.infer<typeof policySchema>;

const isAscending = (bounds: (number | undefined)[]): boolean =>
  bounds.every((below, index) =>
    index === bounds.length - 1 ? below === undefined : below !== undefined && below > (bounds[index - 1] ?? 0),
  );

/**
 * The source's rule, whose messages hold one item each: fewer than 100 items: 10 dequeue tasks, fewer than 1,000: 50, else
 * 100.
 */
export const DEFAULT_POLICY: Policy = {
  thresholds: [{ below: 100, tasks: 10 }, { below: 1_000, tasks: 50 }, { tasks: 100 }],
  capacity: 100,
  headroom: 0.25,
  targetSeconds: 10,
};
