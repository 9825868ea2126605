import { expect, it } from 'vitest';
import { fileNotes } from '../../../../shared/http/inbox/files.ts';
import type { InboxFileView } from '../../../../shared/http/inbox/schemas.ts';

type File = Omit<InboxFileView, 'notes'>;
const file = (fields: Partial<File> = {}): File => ({
  ...{ name: 'billing/a.csv', workload: 'billing', lane: null, state: 'waiting', bytes: 2_000_000, since: '' },
  ...fields,
});
const place = (line: number) => ({ line, column: 9, message: 'not JSON' });
const reason = { type: 'malformed-record', status: 400, title: 'A record', detail: 'It cannot be read.', errors: [] };
const rejected = (errors: { line: number; column?: number; message: string }[], detail = reason.detail): File =>
  file({ state: 'rejected', reason: { ...reason, detail, errors } });

it.each<[string, File, string[]]>([
  ['waits', file(), []],
  ['is about to be read', file({ state: 'taking' }), []],
  ['is read', file({ state: 'taking', readBytes: 500_000, readItems: 1_234 }), ['25 % of 2.0 MB read, 1,234 items']],
  ['has grown', file({ state: 'taking', readBytes: 4e6, readItems: 1 }), ['100 % of 2.0 MB read, 1 item']],
  ['was rejected as a whole', rejected([]), ['It cannot be read.']],
  [
    'was rejected at two places',
    rejected([place(3), { line: 4, message: '' }]),
    ['It cannot be read.', 'at line 3, column 9: not JSON', 'at line 4'],
  ],
  [
    'was rejected at a place that the detail names',
    rejected([place(3)], 'Line 3, column 9: not JSON'),
    ['Line 3, column 9: not JSON'],
  ],
  ['was rejected for a reason that is gone', file({ state: 'rejected' }), ['the reason was deleted']],
])('the notes on a file that %s', (_what, given, notes) => expect(fileNotes(given)).toEqual(notes));

it('the notes on a rejected file name no more than ten places', () => {
  const notes = fileNotes(rejected(Array.from({ length: 100 }, (_, n) => place(n))));
  expect([notes.length, notes.at(-1)]).toEqual([12, 'and 90 more places']);
});
