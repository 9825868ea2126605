/** Refuses calls above a rate, as an account, a queue and a partition of a table do. */
import type { Request } from '../request.ts';
import { partitionOf } from '../tables/entity.ts';
import { parseTransaction } from '../tables/transaction.ts';
import type { Refusal } from './refusal.ts';

/** A throttled resource. */
export type ThrottledResource = 'account' | 'queue' | 'partition';

/** Calls per second of an account and of a queue, and entities per second of a partition of a table. */
export type ThrottleLimits = Readonly<Record<ThrottledResource, number>>;

/**
 * The documented targets: 20,000 requests per second and account (40,000 in some regions), 2,000 messages per second and
 * queue, 2,000 entities per second and partition. Source: Microsoft Learn:
 * storage/common/scalability-targets-standard-account, storage/queues/scalability-targets,
 * storage/tables/scalability-targets.
 */
export const DOCUMENTED_LIMITS: ThrottleLimits = { account: 20_000, queue: 2_000, partition: 2_000 };

/** Counts the calls of one account against its limits. All clients with the same throttle belong to the same account. */
export interface Throttle {
  /** Counts a call. Returns the refusal of a resource that is at its limit, or undefined. */
  refusalOf(request: Request): Refusal | undefined;
  /** The number of calls so far, and of those that each resource refused. */
  readonly counts: Readonly<Record<'calls' | ThrottledResource, number>>;
}

const BUSY: Refusal = {
  rule: 'throttled',
  status: 503,
  code: 'ServerBusy',
  message: 'The server is currently unable to receive requests. Please retry your request.',
};

/** Creates a throttle with token buckets that hold the tokens of one second. `nowMs` is monotonic. */
export function createThrottle(
  limits: ThrottleLimits = DOCUMENTED_LIMITS,
  nowMs: () => number = () => performance.now(),
): Throttle {
  const counts = { calls: 0, account: 0, queue: 0, partition: 0 };
  const buckets = new Map<string, Bucket>();
  return {
    counts,
    refusalOf: (request) => {
      counts.calls += 1;
      const now = nowMs();
      const asked = demandsOf(request).map((demand) => {
        const key = `${request.account}/${demand.resource}/${demand.name}`;
        const rate = limits[demand.resource];
        const bucket = buckets.get(key) ?? { tokens: rate, atMs: now };
        buckets.set(key, bucket);
        bucket.tokens = Math.min(rate, bucket.tokens + ((now - bucket.atMs) * rate) / 1000);
        bucket.atMs = now;
        return { ...demand, bucket, rate };
      });
      // Otherwise, a transaction of more entities than the bucket's capacity could never pass.
      const full = asked.find(({ bucket, units, rate }) => bucket.tokens < Math.min(units, rate));
      if (full !== undefined) {
        counts[full.resource] += 1;
        return BUSY;
      }
      for (const { bucket, units } of asked) bucket.tokens -= units;
      return undefined;
    },
  };
}

interface Bucket {
  tokens: number;
  atMs: number;
}

interface Demand {
  resource: ThrottledResource;
  name: string;
  units: number;
}

/**
 * Returns the tokens that a call consumes if no resource refuses it. A read costs one, since the size of its result is known
 * only afterwards.
 */
function demandsOf(request: Request): Demand[] {
  const own = ownDemandOf(request);
  return [{ resource: 'account', name: '', units: 1 }, ...(own === undefined ? [] : [own])];
}

function ownDemandOf(request: Request): Demand | undefined {
  const { head, operation, resource, query } = request;
  if (head.service === 'queue' && resource !== undefined) return { resource: 'queue', name: resource, units: 1 };
  if (operation === 'transaction') {
    const changes = parseTransaction(request.body);
    const [first] = changes;
    return first && { resource: 'partition', name: partitionOf(first), units: changes.length };
  }
  if (operation === 'query-entities') {
    const key = /PartitionKey eq '((?:[^']|'')*)'/.exec(query.get('$filter') ?? '')?.[1];
    if (key === undefined) return undefined;
    const keys = { partitionKey: key.replaceAll("''", "'"), rowKey: '' };
    return { resource: 'partition', name: partitionOf({ ...request, keys }), units: 1 };
  }
  if (head.service !== 'table' || !operation.endsWith('-entity')) return undefined;
  return { resource: 'partition', name: partitionOf(request), units: 1 };
}
