import { expiredKeys } from '../batches/keys.ts';
import { wins } from '../storage/table.ts';
import { isOver, repaired, type SweepRun } from './run.ts';

/** Keys that one sweep frees. */
const MAX_KEYS = 2_000;

/** Frees idempotency keys that have expired. One that is claimed anew meanwhile stays. */
export async function expireKeys(run: SweepRun): Promise<boolean> {
  let n = 0;
  let left = false;
  for await (const { partitionKey, rowKey, etag } of expiredKeys(run.keys, run.gate.now())) {
    left = n === MAX_KEYS || isOver(run);
    if (left) break;
    if (await wins(run.keys.deleteEntity(partitionKey, rowKey, { etag }))) n += 1;
  }
  repaired(run, 'expiredKeys', { event: 'keys-expired', n });
  return left;
}
