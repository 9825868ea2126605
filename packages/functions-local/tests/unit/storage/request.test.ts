import { expect, test } from 'vitest';
import { withQuery } from '../../../src/storage/pages.ts';
import { requestOf } from './requests.ts';

test.each([
  ['queue', 'PUT', 'work', 'create-queue'],
  ['queue', 'PUT', 'work?comp=metadata', 'set-queue-metadata'],
  ['queue', 'GET', 'work?comp=metadata', 'other-queue'],
  ['queue', 'DELETE', 'work', 'delete-queue'],
  ['queue', 'GET', '?comp=list', 'list-queues'],
  ['queue', 'POST', 'work/messages?messagettl=-1', 'put-message'],
  ['queue', 'GET', 'work/messages?numofmessages=2', 'get-messages'],
  ['queue', 'GET', 'work/messages?peekonly=true', 'peek-messages'],
  ['queue', 'DELETE', 'work/messages', 'clear-messages'],
  ['queue', 'PUT', 'work/messages/id?popreceipt=x', 'update-message'],
  ['queue', 'DELETE', 'work/messages/id?popreceipt=x', 'delete-message'],
  ['table', 'POST', 'Tables', 'create-table'],
  ['table', 'DELETE', "Tables('rows')", 'delete-table'],
  ['table', 'GET', 'Tables', 'other'],
  ['table', 'POST', '$batch', 'transaction'],
  ['table', 'POST', 'rows', 'insert-entity'],
  ['table', 'GET', 'rows()?$top=1', 'query-entities'],
  ['table', 'GET', 'rows?comp=acl', 'other-table'],
  ['table', 'GET', "rows(PartitionKey='p',RowKey='r')", 'get-entity'],
  ['table', 'PUT', "rows(PartitionKey='p',RowKey='r')", 'replace-entity'],
  ['table', 'PATCH', "rows(PartitionKey='p',RowKey='r')", 'merge-entity'],
  ['table', 'DELETE', "rows(PartitionKey='p',RowKey='r')", 'delete-entity'],
  ['blob', 'PUT', 'files?restype=container', 'create-container'],
  ['blob', 'DELETE', 'files?restype=container', 'delete-container'],
  ['blob', 'PUT', 'files?restype=container&comp=metadata', 'set-container-metadata'],
  ['blob', 'GET', 'files?restype=container&comp=list', 'list-blobs'],
  ['blob', 'GET', '?comp=list', 'list-containers'],
  ['blob', 'PUT', 'files/a/b', 'put-blob'],
  ['blob', 'PUT', 'files/a?comp=block&blockid=x', 'put-block'],
  ['blob', 'PUT', 'files/a?comp=blocklist', 'put-block-list'],
  ['blob', 'PUT', 'files/a?comp=metadata', 'set-blob-metadata'],
  ['blob', 'PUT', 'files/a?comp=lease', 'other-blob'],
  ['blob', 'GET', 'files/a', 'get-blob'],
  ['blob', 'DELETE', 'files/a', 'delete-blob'],
  ['blob', 'GET', 'files/%E0%A4%A', 'other'],
] as const)('%s %s %s is %s', (service, method, path, operation) => {
  expect(requestOf(service, { method, path }).operation).toBe(operation);
});

test('names and keys are decoded', () => {
  const path = "rows(PartitionKey='it''s%20%E2%82%AC',RowKey='a%2Cb')";
  expect(requestOf('table', { method: 'GET', path })).toMatchObject({
    account: 'account',
    resource: 'rows',
    keys: { partitionKey: "it's \u20AC", rowKey: 'a,b' },
  });
  expect(requestOf('blob', { path: 'files/a%20b/c%2Fd' })).toMatchObject({ resource: 'files', item: 'a b/c/d' });
});

test.each([
  ['/a?x=1&y=%20', { x: '2' }, '/a?y=%20&x=2'],
  ['/a?x=1', { x: undefined }, '/a'],
  ['/a', { $top: '5' }, '/a?%24top=5'],
  ['/a?%24top=9&z=', { $top: '5' }, '/a?z=&%24top=5'],
  ["/a?$filter=RowKey eq '?'&x=1", { x: undefined }, "/a?$filter=RowKey eq '?'"],
])('%s with %j is %s', (url, changes, expected) => {
  expect(withQuery(url, changes)).toBe(expected);
});
