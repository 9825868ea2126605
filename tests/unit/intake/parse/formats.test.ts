import { describe, expect, it } from 'vitest';
import { encodingOf, formatOf } from '../../../../shared/intake/parse/formats.ts';

describe('formatOf', () => {
  it.each([
    ['application/x-ndjson', 'ndjson'],
    ['application/ndjson', 'ndjson'],
    ['application/jsonl', 'ndjson'],
    ['Application/JSON', 'json'],
    ['application/json; charset=UTF-8', 'json'],
    ['text/csv;charset="utf-8"; header=present', 'csv'],
    ['text/csv; charset=us-ascii', 'csv'],
  ])('%s is %s', (contentType, format) => {
    expect(formatOf(contentType)).toEqual({ format });
  });

  it('derives the delimiter of tab-separated values from the type', () => {
    expect(formatOf('text/tab-separated-values; charset=utf-8')).toEqual({ format: 'csv', delimiter: '\t' });
  });

  it.each([
    null,
    undefined,
    '',
    'text/plain',
    'application/jsonx',
    'text/csv; charset=iso-8859-1',
    'text/csv; header=absent',
  ])('refuses %s', (contentType) => {
    expect(() => formatOf(contentType)).toThrow(
      expect.objectContaining({ type: 'unsupported-media-type', status: 415 }),
    );
  });
});

describe('encodingOf', () => {
  it.each([
    [null, 'identity'],
    ['', 'identity'],
    ['identity', 'identity'],
    [' GZIP ', 'gzip'],
    ['x-gzip', 'gzip'],
    ['deflate', 'deflate'],
    ['br', 'br'],
    ['zstd', 'zstd'],
  ])('%s is %s', (header, encoding) => {
    expect(encodingOf(header)).toBe(encoding);
  });

  it.each(['compress', 'gzip, br', 'constructor'])('refuses %s', (header) => {
    expect(() => encodingOf(header)).toThrow(expect.objectContaining({ type: 'unsupported-media-type' }));
  });
});
