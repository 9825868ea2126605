import { describe, expect, it } from 'vitest';
import { addCauses, MAX_ROW_CAUSES, withoutCauses } from '../../../shared/batches/causes.ts';
import { OTHER_CAUSES } from '../../../shared/contract/cause.ts';

describe('the causes of a row', () => {
  it('are the sum of its present causes and those of outcomes, the most frequent first', () => {
    const causes = addCauses({ a: 2, b: 1 }, [{ causes: { b: 4 } }, {}, { causes: { b: 1, c: 3 } }]);
    expect(Object.entries(causes ?? {})).toEqual([
      ['b', 6],
      ['c', 3],
      ['a', 2],
    ]);
  });

  it('are the ten most frequent, and never include "other causes"', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`cause ${n}`, n + 1]));
    const causes = addCauses(undefined, [{ causes: { ...many, [OTHER_CAUSES]: 99 } }]);
    expect(Object.keys(causes ?? {})).toEqual(Array.from({ length: MAX_ROW_CAUSES }, (_, n) => `cause ${29 - n}`));
  });

  it('are absent if there are none', () => {
    expect(addCauses(undefined, [{}, { causes: {} }])).toBeUndefined();
  });

  it('lose the counts that a redrive takes, and each cause whose count becomes zero', () => {
    expect(withoutCauses({ a: 5, b: 2, c: 1 }, { a: 3, b: 2, d: 9 })).toEqual({ a: 2, c: 1 });
    expect(withoutCauses({ a: 1 }, { a: 4 })).toBeUndefined();
    expect(withoutCauses(undefined, { a: 4 })).toBeUndefined();
  });
});
