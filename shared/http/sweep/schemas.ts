import { z } from 'zod';
import { SWEEP_ACTIONS } from '../../sweep/counts.ts';
import { count } from '../edge/schemas.ts';

/** The actions of a sweep. */
export const sweepAnswerSchema = z.object({
  open: count.describe('Open batches that were checked'),
  ...(Object.fromEntries(SWEEP_ACTIONS.map((action) => [action, count])) as Record<
    (typeof SWEEP_ACTIONS)[number],
    typeof count
  >),
  done: z.array(z.string()).describe('The repairs as text, one per kind; empty if there was nothing to repair'),
});
