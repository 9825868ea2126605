import { describe, expect, it } from 'vitest';
import {
  fileNameOfUrl,
  fileNameText,
  kindOfName,
  mediaTypeOf,
  stemOfName,
  suffixOf,
} from '../../../shared/contract/upload-kinds.ts';

describe('kindOfName', () => {
  it.each([
    ['orders.ndjson', 'ndjson', 'identity'],
    ['orders.ndjson.gz', 'ndjson', 'gzip'],
    ['billing/2025/orders.JSONL.zst', 'ndjson', 'zstd'],
    ['orders.json.br', 'json', 'br'],
    ['or.ders.csv', 'csv', 'identity'],
  ])('%s is %s, %s', (name, format, encoding) => {
    expect(kindOfName(name)).toEqual({ format, encoding });
  });

  it.each(['orders.tsv', 'orders.TAB'])('%s is CSV with tabs', (name) => {
    expect(kindOfName(name)).toEqual({ format: 'csv', delimiter: '\t', encoding: 'identity' });
  });

  it.each(['orders', 'orders.txt', 'orders.gz', 'orders.csv.zip', 'csv', 'orders.csv.gz.gz', 'orders.csv.tmp'])(
    'returns undefined for %s',
    (name) => {
      expect(kindOfName(name)).toBeUndefined();
    },
  );
});

describe('a generated file name', () => {
  it('has the suffixes from which its kind is read again', () => {
    expect(suffixOf('csv', 'gzip')).toBe('.csv.gz');
    expect(kindOfName(`x${suffixOf('ndjson', 'zstd')}`)).toEqual({ format: 'ndjson', encoding: 'zstd' });
    expect([stemOfName('a.b.csv.gz'), stemOfName('a.TSV'), stemOfName('a.txt')]).toEqual(['a.b', 'a', 'a.txt']);
    expect(mediaTypeOf('csv')).toBe('text/csv');
  });

  it('is percent-encoded for a header, without control characters, with at most 255 characters', () => {
    expect(fileNameText('März\n1.csv')).toBe('M%C3%A4rz1.csv');
    expect(decodeURIComponent(fileNameText(`${'😀'.repeat(300)}.csv`))).toBe(`${'😀'.repeat(251)}.csv`);
  });
});

describe('fileNameOfUrl', () => {
  it.each([
    ['https://files.example.com/a/usage%20May.csv.gz?sig=x', 'usage May.csv.gz'],
    ['https://files.example.com/a/', ''],
    ['https://files.example.com/100%.csv', '100%.csv'],
  ])('returns the name in %s', (url, name) => {
    expect(fileNameOfUrl(url)).toBe(name);
  });
});
