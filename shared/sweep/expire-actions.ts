import { expireActions as expire } from '../commands/audit-log.ts';
import { repaired, type SweepRun } from './sweep-run.ts';

/** Maximum number of actions that one sweep deletes: twenty transactions. */
const MAX_ACTIONS = 2_000;

/** Deletes expired entries of the audit log. */
export async function expireActions(run: SweepRun): Promise<boolean> {
  const { n, left } = await expire(run.table, { nowMs: run.gate.now(), most: MAX_ACTIONS });
  repaired(run, 'expiredActions', { event: 'actions-expired', n });
  return left;
}
