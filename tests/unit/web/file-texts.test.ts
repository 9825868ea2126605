import { describe, expect, it } from 'vitest';
import type { InboxFile } from '../../../web/api/types.ts';
import { progressText, readFraction, reasonLines } from '../../../web/inbox/file-texts.ts';

const file = (fields: Partial<InboxFile> = {}): InboxFile => ({
  ...{ name: 'billing/a.csv', workload: 'billing', lane: null, state: 'waiting', bytes: 2_000_000, since: '' },
  ...fields,
});
const place = (line: number) => ({ line, column: 9, message: 'not JSON' });
const reason = { type: 'malformed-record', status: 400, title: 'A record', detail: 'It cannot be read.', errors: [] };
const rejected = (errors: ReturnType<typeof place>[], detail = reason.detail): InboxFile =>
  file({ state: 'rejected', reason: { ...reason, detail, errors } });

describe('the progress of a file', () => {
  it.each([
    ['a waiting file', file(), undefined, ''],
    [
      'a file that is being read',
      file({ state: 'taking', readBytes: 500_000, readItems: 1_234 }),
      0.25,
      '500 kB of 2.0 MB, 25 % · 1,234 items',
    ],
    ['a copied file of unknown size', file({ state: 'taking', readBytes: 5e9 }), undefined, '5.0 GB copied'],
    [
      'a file that has grown',
      file({ state: 'taking', readBytes: 4e6, readItems: 1 }),
      1,
      '4.0 MB of 2.0 MB, 100 % · 1 item',
    ],
  ])('%s', (_what, given, fraction, text) => {
    expect([readFraction(given), progressText(given)]).toEqual([fraction, text]);
  });
});

describe('why a file was rejected', () => {
  it.each([
    ['without a reason', file(), []],
    ['as a whole', rejected([]), ['It cannot be read.']],
    [
      'at two places',
      rejected([place(3), place(4)]),
      ['It cannot be read.', 'At line 3, column 9: not JSON', 'At line 4, column 9: not JSON'],
    ],
    [
      'at a place that the detail names',
      rejected([place(3)], 'Line 3, column 9: not JSON'),
      ['Line 3, column 9: not JSON'],
    ],
    ['for a reason that is gone', file({ state: 'rejected' }), ['The reason was removed.']],
  ])('%s', (_what, given, lines) => expect(reasonLines(given)).toEqual(lines));

  it('at no more than ten places', () => {
    const lines = reasonLines(rejected(Array.from({ length: 100 }, (_, n) => place(n))));
    expect([lines.length, lines.at(-1)]).toEqual([12, 'and 90 more']);
  });
});
