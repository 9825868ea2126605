import { expireActions as expire } from '../commands/audit-log.ts';
import { repaired, type SweepRun } from './run.ts';

/** Actions that one sweep deletes: twenty transactions. */
const MAX_ACTIONS = 2_000;

/** Deletes entries of the audit log after their time. */
export async function expireActions(run: SweepRun): Promise<boolean> {
  const { n, left } = await expire(run.table, { nowMs: run.gate.now(), most: MAX_ACTIONS });
  repaired(run, 'expiredActions', { event: 'actions-expired', n });
  return left;
}
