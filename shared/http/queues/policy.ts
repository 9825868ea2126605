import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { initialPolicy } from '../../drain/planning/planner.ts';
import { policySchema } from '../../drain/planning/policy.ts';
import { readPolicyRow, writePolicy } from '../../drain/planning/policy-store.ts';
import { Problem } from '../../errors.ts';
import type { Table } from '../../storage/table.ts';
import type { GateRow } from '../../wake/gate/gate-row.ts';
import { readGate } from '../../wake/gate/gate-store.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { queueAddressOf } from '../edge/request/parameters.ts';
import type { PolicyView } from './schemas.ts';

export interface PolicyHttp {
  table: Table;
  registry: Registry;
  /** Of the default policy. */
  capacity: number;
}

/** GET queues/{queue}/policy: the rule by which its waves are sized; its version is the ETag. */
export async function getPolicy(
  { table, registry, capacity }: PolicyHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const { queue } = queueAddressOf(request, registry);
  const { row } = await readGate(table, queue);
  return answer(await readPolicyView({ table, capacity }, row));
}

/** The policy of a queue as the API shows it, by one operation if an operator has put one. */
export async function readPolicyView(
  { table, capacity }: Pick<PolicyHttp, 'table' | 'capacity'>,
  gate: Pick<GateRow, 'queue' | 'policyVersion'>,
): Promise<PolicyView> {
  const stored = (await readPolicyRow(table, gate)) ?? { policy: initialPolicy({ capacity }) };
  return { queue: gate.queue, version: gate.policyVersion, ...stored };
}

/** PUT queues/{queue}/policy: stores another rule, which the next wave goes by; 412 if If-Match names another version. */
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
      `notifyFrom: expected none, since "${queue}" holds results; uploads put none.`,
    );
  }
  const stored = await writePolicy(table, queue, { policy, initial: initialPolicy({ capacity }), expected });
  if (stored) {
    const { version, previous } = stored;
    return answer({ queue, version, policy, ...(previous === undefined ? {} : { previous }) });
  }
  throw new Problem('precondition-failed', `The policy of queue "${queue}" is no more of version ${expected}.`);
}

const answer = (view: PolicyView): HttpResponseInit => json(view, { headers: { etag: `"${view.version}"` } });

/** The version in If-Match; undefined: any. */
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
