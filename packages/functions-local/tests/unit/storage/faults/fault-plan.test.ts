import { describe, expect, test } from 'vitest';
import { createRandom } from '../../../../src/random.ts';
import type { StorageCall } from '../../../../src/storage/call.ts';
import { drawFaults, injectFaults, type PlannedFault } from '../../../../src/storage/faults/fault-plan.ts';
import { FAULT_KINDS, FAULT_STATUSES, type StorageFault } from '../../../../src/storage/faults/faults.ts';

const OPTIONS = { calls: 100, most: 5 };
const drawn = (seed: number): PlannedFault[] => drawFaults(createRandom(seed), OPTIONS);
const all = Array.from({ length: 500 }, (_, seed) => drawn(seed)).flat();

const callOf = (service: StorageCall['service']): StorageCall => ({
  ...{ service, method: 'PUT', url: '/', path: '/', headers: [] },
  body: async () => Buffer.alloc(0),
});
const answer = { status: 201, headers: [], body: Buffer.alloc(0) };

/** Services of the calls that had a fault, in order. */
async function met(planned: PlannedFault[], services: StorageCall['service'][]) {
  const intercept = injectFaults(planned);
  const outcomes = [];
  for (const service of services) outcomes.push(await intercept(callOf(service), async () => answer));
  return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.status));
}

describe('drawn faults', () => {
  test('are the same for the same seed', () => {
    expect(drawn(4711)).toEqual(drawn(4711));
  });

  test('differ between seeds', () => {
    expect(drawn(1)).not.toEqual(drawn(2));
  });

  test('include every kind', () => {
    const kinds = new Set(all.map(({ fault }) => fault.kind));
    expect(FAULT_KINDS.filter((kind) => !kinds.has(kind))).toEqual([]);
  });

  test.each([true, false])('include every status, Retry-After: %s', (wanted) => {
    const isWanted = (fault: StorageFault): boolean =>
      fault.kind === 'status' && (fault.retryAfterSeconds !== undefined) === wanted;
    const statuses = all.flatMap(({ fault }) => (isWanted(fault) && fault.kind === 'status' ? [fault.status] : []));
    expect(FAULT_STATUSES.filter((status) => !statuses.includes(status))).toEqual([]);
  });

  test('do not freeze calls indefinitely', () => {
    const frozen = all.flatMap(({ fault }) => (fault.kind === 'frozen' ? [fault.ms] : []));
    expect(frozen.filter((ms) => ms === undefined)).toEqual([]);
  });

  test('hit the expected calls, or are among the six that follow a failed one', () => {
    expect(all.filter(({ n = 0 }) => n < 1 || n > OPTIONS.calls + 6)).toEqual([]);
    expect(drawFaults(createRandom(1), { calls: 100, most: 0 })).toEqual([]);
  });
});

describe('injected faults', () => {
  test('hit the call with their number', async () => {
    const planned = [{ fault: { kind: 'reset' }, n: 2 }] as const;
    expect(await met([...planned], ['blob', 'blob', 'blob'])).toEqual([201, 'reset', 201]);
  });

  test('count only the calls to which they apply', async () => {
    const isQueue = ({ service }: StorageCall): boolean => service === 'queue';
    const planned: PlannedFault[] = [{ fault: { kind: 'reset' }, n: 2, on: isQueue }];
    expect(await met(planned, ['queue', 'blob', 'blob', 'queue', 'queue'])).toEqual([201, 201, 201, 'reset', 201]);
  });

  test('are applied once per call: the first of the plan', async () => {
    const planned: PlannedFault[] = [{ fault: { kind: 'status', status: 503 } }, { fault: { kind: 'reset' } }];
    expect(await met(planned, ['blob', 'blob'])).toEqual([503, 201]);
  });

  test('are reported before they are applied', async () => {
    const reported: string[] = [];
    const intercept = injectFaults([{ fault: { kind: 'frozen' } }], ({ kind }, { service }) => {
      reported.push(`${service} ${kind}`);
    });
    void intercept(callOf('table'), async () => answer);
    expect(reported).toEqual(['table frozen']);
  });
});
