import { describe, expect, test } from 'vitest';
import { pinsPartition } from '../../../../src/storage/tables/filter.ts';
import { refusedOperation, TABLE_RULES } from '../../../../src/storage/tables/table-rules.ts';
import { type Given, NOON, refusedBy, requestOf } from '../requests.ts';

const refused = (given: Given): string | undefined => refusedBy(TABLE_RULES, requestOf('table', given));
const query = (filter: string): Given => ({ method: 'GET', path: `rows()?$filter=${encodeURIComponent(filter)}` });

describe('queries', () => {
  const comparisons = (count: number): string => Array.from({ length: count }, (_, at) => `a eq ${at}`).join(' or ');

  test('15 comparisons; words in text and names do not count', () => {
    expect(refused(query(`${comparisons(14)} or b eq 'x eq 1 and it''s ne 2'`))).toBeUndefined();
    expect(refused(query(comparisons(16)))).toBe('filter-comparisons 400 InvalidInput');
  });

  test.each([
    ['a eq 2147483647', undefined],
    ['a eq -2147483648', undefined],
    ['a eq 2147483648L', undefined],
    ['a eq 2147483648.0', undefined],
    ["a eq '2147483648'", undefined],
    ["a eq datetime'2026-01-01T00:00:00Z'", undefined],
    ['a gt 2147483648', 'filter-int32 400 InvalidInput'],
    ['(a lt -2147483649)', 'filter-int32 400 InvalidInput'],
  ])('%s: refused by %s (undefined: accepted)', (filter, expected) => {
    expect(refused(query(filter))).toBe(expected);
  });

  test.each([
    ['1', undefined],
    ['1000', undefined],
    ['0', 'query-top 400 InvalidInput'],
    ['1001', 'query-top 400 InvalidInput'],
  ])('$top=%s: refused by %s (undefined: accepted)', (top, expected) => {
    expect(refused({ method: 'GET', path: `rows()?$top=${top}` })).toBe(expected);
  });

  test.each([
    ["PartitionKey eq 'a'", true],
    ["RowKey gt 'b' and PartitionKey eq 'a or b'", true],
    ["PartitionKey ge 'a'", false],
    ["PartitionKey eq 'a' or PartitionKey eq 'b'", false],
    ["not (PartitionKey eq 'a')", false],
    ["state eq 'PartitionKey eq 1'", false],
  ])('%s: one partition %s', (filter, expected) => {
    expect(pinsPartition(filter)).toBe(expected);
  });
});

describe('names', () => {
  const INVALID = 'table-name 400 InvalidResourceName';
  test.each([
    ['abc', undefined],
    ['Rows2', undefined],
    ['a'.repeat(63), undefined],
    ['ab', 'table-name 400 OutOfRangeInput'],
    ['a'.repeat(64), 'table-name 400 OutOfRangeInput'],
    ['1abc', INVALID],
    ['a-b', INVALID],
    ['tAbLeS', INVALID],
  ])('table %s: refused by %s (undefined: accepted)', (name, expected) => {
    expect(refused({ method: 'POST', path: 'Tables', body: { TableName: name } })).toBe(expected);
    expect(refused({ method: 'DELETE', path: `Tables('${name}')` })).toBe(expected);
  });
});

describe('transactions', () => {
  const change = (partition: string, row: string, value = '1'): string =>
    [
      '--changeset_1',
      'Content-Type: application/http',
      'Content-Transfer-Encoding: binary',
      '',
      'POST http://127.0.0.1:1/account/rows HTTP/1.1',
      'Content-Type: application/json',
      '',
      `{"PartitionKey":"${partition}","RowKey":"${row}","a":${value}}`,
      '',
    ].join('\r\n');
  const removal = (partition: string, row: string): string =>
    [
      '--changeset_1',
      'Content-Type: application/http',
      '',
      `DELETE http://127.0.0.1:1/account/rows(PartitionKey='${partition}',RowKey='${row}') HTTP/1.1`,
      'If-Match: *',
      '',
      '',
    ].join('\r\n');
  const refusedIn = (...changes: string[]): string | undefined => {
    const start = '--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n';
    const body = `${start}${changes.join('')}--changeset_1--\r\n--batch_1--\r\n`;
    const refused = refusedOperation(requestOf('table', { method: 'POST', path: '$batch', body }), NOON);
    return refused && `${refused.index} ${refused.refusal.rule} ${refused.refusal.status} ${refused.refusal.code}`;
  };
  const rows = (count: number): string[] => Array.from({ length: count }, (_, at) => change('p', `r${at}`));

  test('100 changes of one partition', () => {
    expect(refusedIn(...rows(99), removal('p', 'last'))).toBeUndefined();
    expect(refusedIn(...rows(101))).toBe('0 transaction-count 400 InvalidInput');
  });

  test('the change of another partition is reported', () => {
    const expected = '1 transaction-partition 400 CommandsInBatchActOnDifferentPartitions';
    expect(refusedIn(change('p', 'a'), change('q', 'b'))).toBe(expected);
    expect(refusedIn(change('p', 'a'), removal('q', 'b'))).toBe(expected);
  });

  test('the second change of one entity is reported', () => {
    expect(refusedIn(change('p', 'a'), change('p', 'b'), removal('p', 'a'))).toBe(
      '2 transaction-duplicate 400 InvalidDuplicateRow',
    );
  });

  test('the change that breaks a rule of entities is reported', () => {
    expect(refusedIn(change('p', 'a'), change('p', 'b', '2147483648'))).toBe('1 untyped-int32 400 InvalidInput');
    expect(refusedIn(change('p', 'a'), change('p', 'b?'))).toBe('1 key-characters 400 OutOfRangeInput');
  });
});
