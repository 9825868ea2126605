import { describe, expect, it } from 'vitest';
import { registry } from '../../../workloads/index.ts';

describe('the registry', () => {
  it('has the queues of every workload', () => {
    expect(registry.queues().map(({ queue }) => queue)).toEqual(
      expect.arrayContaining(['billing-high-0', 'billing-normal-0', 'billing-bulk-0', 'billing-results']),
    );
  });

  it('assigns large billing batches to the bulk lane', () => {
    const lane = (items: number) => registry.workload('billing')?.lane({ items, bytes: 0 });
    expect([lane(50_000), lane(50_001)]).toEqual(['normal', 'bulk']);
  });
});
