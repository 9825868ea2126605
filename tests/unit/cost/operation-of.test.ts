import { describe, expect, it } from 'vitest';
import { operationOf, type StorageService } from '../../../shared/cost/operation-of.ts';

const CLOUD = {
  blob: 'https://a.blob.core.windows.net',
  queue: 'https://a.queue.core.windows.net',
  table: 'https://a.table.core.windows.net',
};
const LOCAL = 'http://127.0.0.1:10000/devstoreaccount1';

// Service, method, path and query, extra header, name.
const CASES: [StorageService, string, string, string, string][] = [
  ['blob', 'PUT', '/c?restype=container', '', 'blob.create'],
  ['blob', 'DELETE', '/c?restype=container', '', 'blob.delete'],
  ['blob', 'GET', '/c?restype=container&comp=list', '', 'blob.list'],
  ['blob', 'GET', '/?comp=list', '', 'blob.list'],
  ['blob', 'PUT', '/c/a/b', '', 'blob.put'],
  ['blob', 'PUT', '/c/a/b', 'x-ms-copy-source', 'blob.copy'],
  ['blob', 'PUT', '/c/a/b?comp=block&blockid=AA', '', 'blob.stage'],
  ['blob', 'PUT', '/c/a/b?comp=blocklist', '', 'blob.commit'],
  ['blob', 'PUT', '/c/a/b?comp=metadata', '', 'blob.metadata'],
  ['blob', 'PUT', '/c/a/b?comp=lease', '', 'blob.lease'],
  ['blob', 'PUT', '/c/a/b?comp=snapshot', '', 'blob.other'],
  ['blob', 'GET', '/c/a/b', '', 'blob.get'],
  ['blob', 'GET', '/c/a/b?comp=metadata', '', 'blob.head'],
  ['blob', 'HEAD', '/c/a/b', '', 'blob.head'],
  ['blob', 'DELETE', '/c/a/b', '', 'blob.delete'],
  ['blob', 'POST', '/?comp=batch', '', 'blob.other'],
  ['queue', 'PUT', '/q', '', 'queue.create'],
  ['queue', 'DELETE', '/q', '', 'queue.remove'],
  ['queue', 'GET', '/?comp=list', '', 'queue.list'],
  ['queue', 'GET', '/q?comp=metadata', '', 'queue.properties'],
  ['queue', 'HEAD', '/q?comp=metadata', '', 'queue.properties'],
  ['queue', 'PUT', '/q?comp=metadata', '', 'queue.metadata'],
  ['queue', 'POST', '/q/messages?messagettl=-1', '', 'queue.put'],
  ['queue', 'GET', '/q/messages?numofmessages=32', '', 'queue.get'],
  ['queue', 'GET', '/q/messages?peekonly=true', '', 'queue.peek'],
  ['queue', 'DELETE', '/q/messages', '', 'queue.clear'],
  ['queue', 'DELETE', '/q/messages/1?popreceipt=r', '', 'queue.delete'],
  ['queue', 'PUT', '/q/messages/1?popreceipt=r&visibilitytimeout=30', '', 'queue.update'],
  ['table', 'POST', '/Tables', '', 'table.create'],
  ['table', 'DELETE', "/Tables('batches')", '', 'table.remove'],
  ['table', 'GET', '/Tables', '', 'table.list'],
  ['table', 'POST', '/batches', '', 'table.insert'],
  ['table', 'GET', "/batches(PartitionKey='p',RowKey='r')", '', 'table.get'],
  ['table', 'GET', "/batches(PartitionKey='p(1)',RowKey='()')", '', 'table.get'],
  ['table', 'GET', '/batches()?%24filter=a', '', 'table.query'],
  ['table', 'PUT', "/batches(PartitionKey='p',RowKey='r')", '', 'table.update'],
  ['table', 'PATCH', "/batches(PartitionKey='p',RowKey='r')", '', 'table.update'],
  ['table', 'DELETE', "/batches(PartitionKey='p',RowKey='r')", '', 'table.delete'],
  ['table', 'POST', '/$batch', '', 'table.transaction'],
];

describe('the operation of a request', () => {
  it.each(CASES)('%s %s %s %s is %s', (service, method, path, header, name) => {
    const headers = { get: (wanted: string) => (wanted === header ? 'value' : undefined) };

    const names = [CLOUD[service], LOCAL].map((origin) =>
      operationOf(service, { method, url: origin + path, headers }),
    );

    expect(names).toEqual([name, name]);
  });

  it('is recognized if the method is in a header', () => {
    const headers = { get: (name: string) => (name === 'x-http-method' ? 'MERGE' : undefined) };

    const name = operationOf('table', {
      method: 'POST',
      url: `${LOCAL}/batches(PartitionKey='p',RowKey='r')`,
      headers,
    });

    expect(name).toBe('table.update');
  });
});
