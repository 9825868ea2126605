import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../cli/process/errors.ts';
import { kindOfFile, kindOfStream } from '../../../../cli/upload/kind.ts';
import { inboxName } from '../../../../cli/upload/send/inbox.ts';
import { kindOfName, suffixOf } from '../../../../shared/contract/upload-kinds.ts';

describe('a file to upload', () => {
  it.each([
    ['a.ndjson', 'application/x-ndjson', 'zstd', true],
    ['a.b.jsonl', 'application/x-ndjson', 'zstd', true],
    ['a.json.gz', 'application/json', 'gzip', false],
    ['A.CSV.BR', 'text/csv', 'br', false],
    ['a.csv.zst', 'text/csv', 'zstd', false],
    ['a.tsv.gz', 'text/csv', 'gzip', false],
  ])('has a kind by its name: %s is %s in %s', (name, contentType, encoding, compress) => {
    expect(kindOfFile(name)).toMatchObject({ contentType, encoding, compress });
  });

  it('has the kind of the options, independent of its name', () => {
    expect(kindOfFile('dump.txt', { format: 'csv' })).toMatchObject({ format: 'csv', compress: true });
    expect(kindOfFile('dump.json', { encoding: 'br' })).toMatchObject({
      format: 'json',
      encoding: 'br',
      compress: false,
    });
    expect(() => kindOfFile('dump.txt')).toThrow(UsageError);
    expect(() => kindOfFile('old.xls')).toThrow(expect.objectContaining({ hint: expect.stringContaining('.xlsx') }));
  });

  it('is NDJSON if it comes from standard input', () => {
    expect(kindOfStream({})).toMatchObject({ format: 'ndjson', encoding: 'zstd', compress: true });
  });
});

describe('the name of a file in the inbox', () => {
  const input = { name: 'reports/Usage März.csv', kind: kindOfFile('x.csv'), key: 'k' };

  it('contains workload, lane, key and format', () => {
    const name = inboxName({ ...input }, { workload: 'billing', lane: 'bulk' });
    expect(name).toBe('billing/bulk/8254c329a928-Usage-M-rz.csv.zst');
    expect(kindOfName(name)).toEqual({ format: 'csv', encoding: 'zstd' });
  });

  it('differs for different keys', () => {
    const names = ['k', 'l'].map((key) => inboxName({ ...input, key }, { workload: 'billing' }));
    expect(new Set(names).size).toBe(2);
  });

  it.each(['a.ndjson', 'a.json.gz', 'a.csv.br'])('keeps format and compression of %s', (name) => {
    const kind = kindOfFile(name);
    expect(kindOfName(`x${suffixOf(kind.format, kind.encoding)}`)).toEqual({
      format: kind.format,
      encoding: kind.encoding,
    });
  });
});
