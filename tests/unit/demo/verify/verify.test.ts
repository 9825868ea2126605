import { describe, expect, it } from 'vitest';
import { differences, type Expected } from '../../../../demo/verify/verify.ts';
import type { Answered } from '../../../../local/batch/submission.ts';

const rows = {
  'a|EUR': { lines: 2, net: '10.00', tax: '1.90', gross: '11.90' },
  'b|JPY': { lines: 1, net: '5', tax: '1', gross: '6' },
};
const expected: Expected = { accepted: 4, succeeded: 3, dead: 1, totals: new Map(Object.entries(rows)) };

function answered(change: { counts?: object; rows?: object; more?: Answered['report'] } = {}): Answered {
  const report = Object.entries({ ...rows, ...change.rows }).filter(([, value]) => value !== undefined);
  return {
    counts: { accepted: 4, succeeded: 3, dead: 1, ...change.counts },
    report: [...report.map(([key, value]) => ({ key, value })), ...(change.more ?? [])],
  };
}

describe('the check', () => {
  it('finds no difference in a correct report, in any order', () => {
    const { counts, report } = answered();
    expect(differences(expected, { counts, report: report.toReversed() })).toEqual([]);
  });

  it.each<[what: string, answer: Answered, difference: string]>([
    [
      'a cent too much',
      answered({ rows: { 'a|EUR': { ...rows['a|EUR'], net: '10.01' } } }),
      'a|EUR net: expected "10.00", got "10.01"',
    ],
    [
      'a wrong tax',
      answered({ rows: { 'b|JPY': { ...rows['b|JPY'], tax: '0' } } }),
      'b|JPY tax: expected "1", got "0"',
    ],
    [
      'a wrong gross',
      answered({ rows: { 'b|JPY': { ...rows['b|JPY'], gross: '7' } } }),
      'b|JPY gross: expected "6", got "7"',
    ],
    [
      'a line counted twice',
      answered({ rows: { 'a|EUR': { ...rows['a|EUR'], lines: 3 } } }),
      'a|EUR lines: expected 2, got 3',
    ],
    [
      'a number for an amount',
      answered({ rows: { 'b|JPY': { ...rows['b|JPY'], net: 5 } } }),
      'b|JPY net: expected "5", got 5',
    ],
    ['a missing row', answered({ rows: { 'b|JPY': undefined } }), 'b|JPY: missing from the report'],
    ['a row too many', answered({ rows: { 'c|EUR': rows['a|EUR'] } }), 'c|EUR: not expected'],
    ['a row twice', answered({ more: [{ key: 'a|EUR', value: rows['a|EUR'] }] }), 'a|EUR: is there twice'],
    ['no value', answered({ rows: { 'b|JPY': null } }), 'b|JPY lines: expected 1, got undefined'],
    ['a lost item', answered({ counts: { accepted: 3 } }), 'accepted: expected 4, got 3'],
    ['a dead letter too many', answered({ counts: { dead: 2, succeeded: 2 } }), 'dead: expected 1, got 2'],
  ])('finds %s', (_, answer, difference) => {
    expect(differences(expected, answer)).toContain(difference);
  });
});
