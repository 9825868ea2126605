import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { Problem } from '../../errors.ts';
import type { GateRow } from '../../gate/gate-row.ts';
import { readGate } from '../../gate/gate-store.ts';
import { initialPolicy } from '../../gate/planning/planner.ts';
import { policySchema } from '../../gate/policy.ts';
import { readStoredPolicy, writePolicy } from '../../gate/policy-store.ts';
import type { Settings } from '../../settings.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { invalid, queueAddressOf } from '../edge/request/parameters.ts';
import type { Handle } from '../edge/route.ts';
import type { PolicyView } from './schemas.ts';

/** The default policy contains the capacity. */
type PolicyHttp = Pick<Reads, 'gate' | 'registry'> & Pick<Settings, 'capacity'>;

/** GET queues/{queue}/policy: the rule that determines the size of its waves. Its version is the ETag. */
export const getPolicy: Handle<PolicyHttp> = async (deps, request) => {
  const { queue } = queueAddressOf(request, deps.registry);
  const { row } = await readGate(deps.gate.table, queue);
  return answer(await readPolicyView(deps, row));
};

/** Reads the policy of a queue in the format of the API; one operation if an operator has stored one. */
export async function readPolicyView(
  { gate, capacity }: Pick<PolicyHttp, 'gate' | 'capacity'>,
  row: Pick<GateRow, 'queue' | 'policyVersion'>,
): Promise<PolicyView> {
  const stored = (await readStoredPolicy(gate.table, row)) ?? { policy: initialPolicy({ capacity }) };
  return { queue: row.queue, version: row.policyVersion, ...stored };
}

/**
 * PUT queues/{queue}/policy: stores a new rule, which applies from the next wave on. 412 if If-Match contains another version.
 */
export const putPolicy: Handle<PolicyHttp> = async ({ gate, registry, capacity }, request) => {
  const { queue, kind } = queueAddressOf(request, registry);
  const expected = expectedVersion(request);
  const policy = await jsonBodyOf(request, policySchema);
  if (kind === 'results' && policy.notifyFrom !== undefined) {
    throw new Problem(
      'invalid-parameter',
      `notifyFrom must be absent for "${queue}": it is a result queue, and uploads put no messages into it.`,
    );
  }
  const stored = await writePolicy(gate.table, queue, { policy, initial: initialPolicy({ capacity }), expected });
  if (stored) {
    const { version, previous } = stored;
    return answer({ queue, version, policy, ...(previous === undefined ? {} : { previous }) });
  }
  throw new Problem(
    'precondition-failed',
    `The policy of queue "${queue}" no longer has version ${expected}. Read it again.`,
  );
};

const answer = (view: PolicyView): HttpResponseInit => json(view, { headers: { etag: `"${view.version}"` } });

/** Reads the version in If-Match; undefined means any. */
function expectedVersion(request: HttpRequest): number | undefined {
  const text = request.headers.get('if-match');
  if (text === null || text.trim() === '*') return undefined;
  const [, version] = /^\s*"(\d{1,9})"\s*$/.exec(text) ?? [];
  if (version !== undefined) return Number(version);
  throw invalid('If-Match', 'the ETag of a policy, such as "3"', text);
}
