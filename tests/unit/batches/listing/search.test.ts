import { describe, expect, it } from 'vitest';
import { matchesSearch } from '../../../../shared/batches/listing/search.ts';

const batch = {
  id: '01a1fe1f-bab8-7ae4-96f3-25c93f470606',
  fileName: 'Usage Cafe\u0301 2026.csv',
  labels: { month: 'September', team: 'Billing-EU' },
};

describe('a batch is found by', () => {
  it.each([
    ['the beginning of its id', '01a1fe1f-bab8'],
    ['its id in upper case', '01A1FE1F-BAB8-7AE4-96F3-25C93F470606'],
    ['the beginning of the last 12 digits of its id', '25c9'],
    ['the end of its id', '0606'],
    ['a part of the name of its file', 'usage caf\u00e9'],
    ['a part of the value of a label', 'TEMB'],
  ])('%s', (_what, text) => expect(matchesSearch(batch, text)).toBe(true));
});

describe('a batch is not found by', () => {
  it.each([
    ['another id', '01a1fe1f-bab9'],
    ['the middle of its id', 'bab8'],
    ['fewer than four characters of its id', '01a'],
    ['the name of a label', 'month'],
    ['words in another order', '2026 usage'],
  ])('%s', (_what, text) => expect(matchesSearch(batch, text)).toBe(false));

  it('any text, if it has no file name and no labels', () => {
    expect(matchesSearch({ id: batch.id }, 'usage')).toBe(false);
  });
});
