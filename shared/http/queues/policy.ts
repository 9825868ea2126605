import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { readPolicy } from '../../drain/planner.ts';
import { policySchema } from '../../drain/policy.ts';
import { writePolicy } from '../../drain/policy-store.ts';
import { Problem } from '../../errors.ts';
import type { Table } from '../../storage/table.ts';
import { readGate } from '../../wake/gate.ts';
import type { Registry } from '../../workload/registry.ts';
import { json } from '../edge/answers.ts';
import { jsonBodyOf } from '../edge/json-body.ts';
import { queueAddressOf } from '../edge/parameters.ts';
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
  return answer({ queue, version: row.policyVersion, policy: await readPolicy({ table, capacity }, row) });
}

/** PUT queues/{queue}/policy: stores another rule, which the next wave goes by; 412 if If-Match names another version. */
export async function putPolicy({ table, registry }: PolicyHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const { queue } = queueAddressOf(request, registry);
  const expected = expectedVersion(request);
  const policy = await jsonBodyOf(request, policySchema);
  const version = await writePolicy(table, queue, { policy, expected });
  if (version !== undefined) return answer({ queue, version, policy });
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
