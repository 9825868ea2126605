import { z } from 'zod';
import { SWEEP_ACTIONS } from '../../sweep/counts.ts';
import { count } from '../edge/schemas.ts';

/** What a sweep found and did. */
export const sweepAnswerSchema = z.object({
  open: count.describe('Open batches that were looked at'),
  ...(Object.fromEntries(SWEEP_ACTIONS.map((action) => [action, count])) as Record<
    (typeof SWEEP_ACTIONS)[number],
    typeof count
  >),
});
