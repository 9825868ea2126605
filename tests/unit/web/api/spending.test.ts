import { describe, expect, it } from 'vitest';
import { spend, spending } from '../../../../web/api/http/spending.ts';

describe('the cost meter of the page', () => {
  it('adds up the costs in the responses', () => {
    spend('usd=0.0000021, table.query=2, queue.properties=3');
    spend('usd=0.000001');
    spend(null);
    expect(spending.value).toEqual({ requests: 3, operations: 5, usd: expect.closeTo(0.000_003_1, 12) });
  });
});
