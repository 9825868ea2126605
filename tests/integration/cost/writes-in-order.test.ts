import { afterAll, beforeAll, expect, it } from 'vitest';
import { CLOSING, LAST_UPDATE } from '../../../shared/batches/charge.ts';
import { addOperations, type Operations } from '../../../shared/contract/operations.ts';
import { tableBelow } from '../../unit/docs/docs-table.ts';
import { type ReceiptStack, startReceiptStack } from './receipt-stack.ts';

/** Receiving changes the visibility of messages, so `queue.get` is not among them. */
const READS = /\.(query|head|properties|peek|list)$|^(table|blob)\.get$/;

let stack: ReceiptStack;

beforeAll(async () => {
  stack = await startReceiptStack();
  // The first use of a queue creates it, and a process reads policies once.
  await stack.quiet([await stack.submit('call0', itemsOf(1))]);
});
afterAll(() => stack?.stop());

const itemsOf = (count: number) => Array.from({ length: count }, (_, n) => ({ n, k: 'a', v: 1, f: 'ok' }));

/** Storage operations of the rows of the table, as `table.update gates/gate`. */
const documentedWrites = (): string[] =>
  tableBelow('docs/architecture.md', 'Every write of a small batch')
    .map(([, write = '']) => write)
    .filter((write) => /^(table|blob|queue)\./.test(write));

/** What a request is about: `queue`, a container, a table, or a table with the kind of the row. */
function targetOf(operation: string, path: string): string {
  if (operation.startsWith('queue.')) return 'queue';
  const [, resource = ''] = /^\/[^/]+\/([^/?(]+)/.exec(path) ?? [];
  if (resource === '$batch') return 'batches';
  const [, partition = '', row = ''] = /PartitionKey='([^']*)',RowKey='([^']*)'/.exec(path) ?? [];
  if (partition === '') return resource;
  const kind = resource === 'batches' && row !== 'batch' ? partition : row;
  return `${resource}/${kind.replace(/[-:].*$/, '')}`;
}

it('the last write of a batch row charges what the architecture page lists after it, and its line what follows it', () => {
  const writes = documentedWrites();
  const countFrom = (write: string): Operations =>
    writes
      .slice(writes.lastIndexOf(write))
      .filter((each) => / batches(\/|$)/.test(each))
      .map((each) => ({ [each.split(' ', 1)[0] ?? '']: 1 }))
      .reduce(addOperations, {});

  expect(LAST_UPDATE).toEqual(countFrom('table.update batches/batch'));
  expect(CLOSING).toEqual(countFrom('table.update batches/day'));
});

it('a small batch makes the writes that the architecture page lists, in their order', async () => {
  const writes: string[] = [];
  let isFirst = true;
  stack.setFault((operation, path) => {
    if (READS.test(operation)) return undefined;
    const write = `${operation} ${targetOf(operation, path)}`;
    writes.push(write);
    // The upload and its drain run at the same time: the drain waits here until the upload is answered.
    if (write !== 'table.update gates/gate' || !isFirst) return undefined;
    isFirst = false;
    return { kind: 'slow', ms: 5_000 };
  });

  await stack.quiet([await stack.submit('call0', itemsOf(4), 'a-key')]);

  expect(writes).toEqual(documentedWrites());
});
