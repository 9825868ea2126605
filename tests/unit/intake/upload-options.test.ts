import { describe, expect, it } from 'vitest';
import { Problem } from '../../../shared/errors.ts';
import { inboxOptions, readFileName, readLabelsOption } from '../../../shared/intake/upload-options.ts';

describe('readFileName', () => {
  it.each([
    ['usage%202026.csv', 'usage 2026.csv'],
    ['C%3A%5Cdata%5Cusage.csv', 'usage.csv'],
    ['a/b/%C3%BC%2F.csv', '.csv'],
    [' usage.csv ', 'usage.csv'],
    ['', undefined],
    [null, undefined],
  ])('reads %j', (text, name) => {
    expect(readFileName(text, 'Sluice-File-Name')).toBe(name);
  });

  it.each(['%', 'a%0Ab', 'a/', 'x'.repeat(256)])('refuses %j', (text) => {
    expect(() => readFileName(text, 'Sluice-File-Name')).toThrow(/^Sluice-File-Name: expected/);
    expect(() => readFileName(text, 'Sluice-File-Name')).toThrow(Problem);
  });
});

describe('readLabelsOption', () => {
  it('reads labels, and reports the header of an invalid one', () => {
    expect(readLabelsOption('month=2026-09,team=R%26D', 'Sluice-Labels')).toEqual({ month: '2026-09', team: 'R&D' });
    expect(readLabelsOption(null, 'Sluice-Labels')).toBeUndefined();
    expect(() => readLabelsOption('Month=1', 'Sluice-Labels')).toThrow(/^Sluice-Labels: Expected a label's key/);
    expect(() => readLabelsOption('month', 'Sluice-Labels')).toThrow(Problem);
    expect(() => readLabelsOption('month=100%', 'Sluice-Labels')).toThrow(
      /Expected a percent-encoded value, got "100%"/,
    );
  });
});

describe('inboxOptions', () => {
  it('reads metadata, ignoring the case of names', () => {
    const metadata = {
      CSV: 'delimiter=semicolon&rename=Old%20name%3Did',
      Labels: 'month=2026-09',
      filename: 'a%20b.csv',
    };
    expect(inboxOptions('billing/x.csv', metadata)).toEqual({
      csv: { delimiter: ';', rename: { 'Old name': 'id' } },
      labels: { month: '2026-09' },
      fileName: 'a b.csv',
    });
  });

  it('uses the last part of the path as the name of the file', () => {
    expect(inboxOptions('billing/bulk/usage.csv.gz')).toEqual({ csv: {}, labels: undefined, fileName: 'usage.csv.gz' });
    expect(inboxOptions(`billing/${'x'.repeat(300)}.csv`).fileName).toHaveLength(255);
  });

  it.each([{ csv: 'delimiter=x' }, { labels: 'month' }, { filename: '%' }])('rejects a file with %j', (metadata) => {
    expect(() => inboxOptions('billing/x.csv', metadata as Record<string, string>)).toThrow(Problem);
  });
});
