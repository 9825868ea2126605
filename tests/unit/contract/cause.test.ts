import { describe, expect, it } from 'vitest';
import { causeOf, countCause } from '../../../shared/contract/cause.ts';

describe('causeOf', () => {
  it.each([
    ['order 17 is closed', 'rejected: Reject: order # is closed'],
    ['account "abc" has 1,204.50 EUR', 'rejected: Reject: account "…" has # EUR'],
    ["unknown currency 'XYZ'", 'rejected: Reject: unknown currency "…"'],
    ["can't be read and won't be", "rejected: Reject: can't be read and won't be"],
    ['["Net (EUR)"]: not 7; items[3]["a b"]: no', 'rejected: Reject: ["Net (EUR)"]: not #; items[#]["a b"]: no'],
    ['expected one of ["a"]', 'rejected: Reject: expected one of ["…"]'],
    ['field `total` of 2026-01-01', 'rejected: Reject: field "…" of #-#-#'],
  ])('masks the parts of a message that differ between items, %j', (message, expected) => {
    expect(causeOf('rejected', { name: 'Reject', message })).toBe(expected);
  });

  it('returns at most 200 characters', () => {
    expect(causeOf('exhausted', { name: 'Error', message: 'x'.repeat(5_000) })).toHaveLength(200);
  });
});

describe('countCause', () => {
  it('counts under one common name when there are too many different messages', () => {
    const causes = new Map<string, number>();
    for (let i = 0; i < 60; i += 1) countCause(causes, `cause ${i}`);
    countCause(causes, 'cause 0', 4);
    expect(causes.size).toBe(51);
    expect(causes.get('other causes')).toBe(10);
    expect(causes.get('cause 0')).toBe(5);
  });
});
