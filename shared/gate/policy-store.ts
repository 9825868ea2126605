import { fromEntity, toEntity } from '../storage/entity.ts';
import { LOST_RACE, retryLostRace } from '../storage/lost-race.ts';
import { defineRow, int32, json, optional, type RowOf } from '../storage/row.ts';
import { odata, queryEntities, readEntity, type StoredAction, type Table, wins } from '../storage/table.ts';
import { readsAs } from '../storage/write-row.ts';
import { GATES_PARTITION, type GateRow, policyRowKey, policyRows, queueOfPolicy, toGateEntity } from './gate-row.ts';
import { gateOf, readGate } from './gate-store.ts';
import { type Policy, policySchema } from './policy.ts';

/** The stored policy of a queue, and its predecessor. Both are validated when they are read. */
export const POLICY = defineRow('policy', { version: int32(), policy: json(), previous: optional(json()) });

/** A policy that an operator has stored, and its predecessor if this version can read it. */
export interface StoredPolicy {
  policy: Policy;
  previous?: Policy;
}

const readRow = async (table: Table, queue: string): Promise<RowOf<typeof POLICY> | undefined> => {
  const entity = await readEntity(table, GATES_PARTITION, policyRowKey(queue));
  return entity && fromEntity(POLICY, entity);
};

/** Undefined for a policy that this version cannot read, so that an operator can replace it. */
const readable = (policy: unknown): Policy | undefined => policySchema.safeParse(policy).data;

/** Reads the stored policy of a queue with one operation. Returns undefined, without an operation, if there is none. */
export async function readStoredPolicy(
  table: Table,
  { queue, policyVersion }: Pick<GateRow, 'queue' | 'policyVersion'>,
): Promise<StoredPolicy | undefined> {
  const row = policyVersion === 0 ? undefined : await readRow(table, queue);
  if (!row) return undefined;
  const previous = readable(row.previous);
  return { policy: policySchema.parse(row.policy), ...(previous === undefined ? {} : { previous }) };
}

/** Reads all stored policies by queue with one table query, except those that this version cannot read. */
export async function readStoredPolicies(table: Table): Promise<Map<string, Policy>> {
  const { from, to } = policyRows;
  const filter = odata`PartitionKey eq ${GATES_PARTITION} and RowKey ge ${from} and RowKey lt ${to}`;
  const policies = new Map<string, Policy>();
  for await (const entity of queryEntities(table, filter)) {
    const policy = readable(fromEntity(POLICY, entity).policy);
    if (policy) policies.set(queueOfPolicy(entity.rowKey), policy);
  }
  return policies;
}

/**
 * Stores the policy of a queue and increases its version, in one transaction, so that a drain sees both changes or
 * none. The previous policy is stored with it (`initial` before the first one). Returns the new version, or undefined
 * if `expected` is given and is not the present version. If two callers store the same policy at the same time, they
 * store one version.
 */
export const writePolicy = (
  table: Table,
  queue: string,
  { policy, initial, expected }: { policy: Policy; initial?: Policy; expected?: number | undefined },
): Promise<{ version: number; previous: Policy | undefined } | undefined> =>
  retryLostRace(gateOf(queue), async () => {
    const { row, etag } = await readGate(table, queue);
    if (expected !== undefined && row.policyVersion !== expected) return undefined;
    const version = row.policyVersion + 1;
    const gate = toGateEntity({ ...row, policyVersion: version });
    const keys = { partitionKey: GATES_PARTITION, rowKey: policyRowKey(queue) };
    const previous = row.policyVersion === 0 ? initial : readable((await readRow(table, queue))?.policy);
    const stored = toEntity(POLICY, keys, { version, policy, previous });
    const actions: StoredAction[] = [
      ['upsert', stored, 'Replace'],
      etag === undefined ? ['create', gate] : ['update', gate, 'Replace', { etag }],
    ];
    if (await wins(table.submitTransaction(actions))) return { version, previous };
    // If the response was lost, the transaction is refused although it took effect: the gate may have changed since,
    // the policy has not.
    return (await readsAs(table, stored)) === undefined ? LOST_RACE : { version, previous };
  });
