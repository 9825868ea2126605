import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { Problem } from '../../errors.ts';
import type { GateRow } from '../../gate/gate-row.ts';
import { readGate } from '../../gate/gate-store.ts';
import { initialPolicy } from '../../gate/planning/planner.ts';
import { policySchema } from '../../gate/policy.ts';
import { readStoredPolicy, writePolicy } from '../../gate/policy-store.ts';
import type { Table } from '../../storage/table.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { queueAddressOf } from '../edge/request/parameters.ts';
import type { PolicyView } from './schemas.ts';

export interface PolicyHttp {
  table: Table;
  registry: Registry;
  /** The capacity in the default policy. */
  capacity: number;
}

/** GET queues/{queue}/policy: the rule that determines the size of its waves. Its version is the ETag. */
export async function getPolicy(
  { table, registry, capacity }: PolicyHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const { queue } = queueAddressOf(request, registry);
  const { row } = await readGate(table, queue);
  return answer(await readPolicyView({ table, capacity }, row));
}

/** Reads the policy of a queue in the format of the API; one operation if an operator has stored one. */
export async function readPolicyView(
  { table, capacity }: Pick<PolicyHttp, 'table' | 'capacity'>,
  gate: Pick<GateRow, 'queue' | 'policyVersion'>,
): Promise<PolicyView> {
  const stored = (await readStoredPolicy(table, gate)) ?? { policy: initialPolicy({ capacity }) };
  return { queue: gate.queue, version: gate.policyVersion, ...stored };
}

/**
 * PUT queues/{queue}/policy: stores a new rule, which applies from the next wave on. 412 if If-Match contains another version.
 */
export async function putPolicy(
  { table, registry, capacity }: PolicyHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const { queue, kind } = queueAddressOf(request, registry);
  const expected = expectedVersion(request);
  const policy = await jsonBodyOf(request, policySchema);
  if (kind === 'results' && policy.notifyFrom !== undefined) {
    throw new Problem(
      'invalid-parameter',
      `notifyFrom must be absent for "${queue}": it is a result queue, and uploads put no messages into it.`,
    );
  }
  const stored = await writePolicy(table, queue, { policy, initial: initialPolicy({ capacity }), expected });
  if (stored) {
    const { version, previous } = stored;
    return answer({ queue, version, policy, ...(previous === undefined ? {} : { previous }) });
  }
  throw new Problem(
    'precondition-failed',
    `The policy of queue "${queue}" no longer has version ${expected}. Read it again.`,
  );
}

const answer = (view: PolicyView): HttpResponseInit => json(view, { headers: { etag: `"${view.version}"` } });

/** Reads the version in If-Match; undefined means any. */
function expectedVersion(request: HttpRequest): number | undefined {
  const text = request.headers.get('if-match');
  if (text === null || text.trim() === '*') return undefined;
  const [, version] = /^\s*"(\d{1,9})"\s*$/.exec(text) ?? [];
  if (version !== undefined) return Number(version);
  throw new Problem(
    'invalid-parameter',
    `If-Match must be the ETag of a policy, such as "3"; got ${text.slice(0, 40)}.`,
  );
}
