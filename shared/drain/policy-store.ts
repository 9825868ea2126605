import { toEntity } from '../storage/entity.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { type StoredAction, type Table, wins } from '../storage/table.ts';
import { readsAs } from '../storage/write-row.ts';
import { gateOf, readGate } from '../wake/gate.ts';
import { GATES_PARTITION, policyRowKey, toGateEntity } from '../wake/gate-row.ts';
import type { Policy } from './policy.ts';

/**
 * Stores the policy of a queue and counts its version up, in one transaction: no drain sees the one without the other.
 * Gives the new version; undefined when the present one is not `expected` (which may be left out). Two who store the same
 * policy at the same time store one version.
 */
export const writePolicy = (
  table: Table,
  queue: string,
  { policy, expected }: { policy: Policy; expected?: number | undefined },
): Promise<number | undefined> =>
  retryLostRace(gateOf(queue), async () => {
    const { row, etag } = await readGate(table, queue);
    if (expected !== undefined && row.policyVersion !== expected) return undefined;
    const version = row.policyVersion + 1;
    const gate = toGateEntity({ ...row, policyVersion: version });
    const keys = { partitionKey: GATES_PARTITION, rowKey: policyRowKey(queue) };
    const stored = toEntity('policy', keys, { version, policy });
    const actions: StoredAction[] = [
      ['upsert', stored, 'Replace'],
      etag === undefined ? ['create', gate] : ['update', gate, 'Replace', { etag }],
    ];
    if (await wins(table.submitTransaction(actions))) return version;
    // Refused although it took effect, when its answer was lost: the gate may have changed since, its policy has not.
    return (await readsAs(table, stored)) === undefined ? LOST_RACE : version;
  });
