import { expiredKeys } from '../batches/keys.ts';
import { wins } from '../storage/table.ts';
import { isOver, repaired, type SweepRun } from './sweep-run.ts';

/** Maximum number of keys that one sweep deletes. */
const MAX_KEYS = 2_000;

/** Deletes expired idempotency keys. A key that is claimed again in the meantime stays. */
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
