import { describe, expect, it } from 'vitest';
import { createThrottle } from '../../../../src/storage/rules/throttle.ts';
import { requestOf } from '../requests.ts';

const LIMITS = { account: 6, queue: 3, partition: 4 };

const put = (queue: string) => requestOf('queue', { method: 'POST', path: `${queue}/messages` });
const insert = (partition: string) =>
  requestOf('table', { method: 'POST', path: 'rows', body: { PartitionKey: partition, RowKey: 'a' } });
const read = (partition: string) =>
  requestOf('table', { method: 'GET', path: `rows(PartitionKey='${partition}',RowKey='a')` });
const query = (partition: string) =>
  requestOf('table', { method: 'GET', path: `rows()?$filter=PartitionKey%20eq%20'${partition}'%20and%20n%20gt%201` });
const blob = () => requestOf('blob', { method: 'GET', path: 'container/blob' });

function transaction(partition: string, changes: number) {
  const parts = Array.from({ length: changes }, (_, index) =>
    [
      '--changes',
      'Content-Type: application/http',
      '',
      `PUT http://127.0.0.1/account/rows(PartitionKey='${partition}',RowKey='${index}') HTTP/1.1`,
      'Content-Type: application/json',
      '',
      '{}',
    ].join('\r\n'),
  );
  const body = ['--batch', 'Content-Type: multipart/mixed; boundary=changes', '', ...parts, '--changes--', '--batch--'];
  return requestOf('table', { method: 'POST', path: '$batch', body: body.join('\r\n') });
}

function startThrottle() {
  let nowMs = 0;
  const throttle = createThrottle(LIMITS, () => nowMs);
  const passes = (request: ReturnType<typeof put>): boolean => throttle.refusalOf(request) === undefined;
  const wait = (ms: number): void => {
    nowMs += ms;
  };
  return { throttle, passes, wait };
}

describe('a throttle', () => {
  it('refuses the calls of a queue above its rate with 503 ServerBusy, and does not affect another queue', () => {
    const { throttle, passes } = startThrottle();
    expect([put('a'), put('a'), put('a'), put('a'), put('b')].map(passes)).toEqual([true, true, true, false, true]);
    expect(throttle.refusalOf(put('a'))).toMatchObject({ status: 503, code: 'ServerBusy' });
    expect(throttle.counts).toEqual({ calls: 6, account: 0, queue: 2, partition: 0 });
  });

  it('accepts calls again at the rate, and saves the tokens of at most one second', () => {
    const { passes, wait } = startThrottle();
    for (let count = 0; count < 3; count += 1) passes(put('a'));
    wait(334);
    expect([put('a'), put('a')].map(passes)).toEqual([true, false]);
    wait(60_000);
    expect([put('a'), put('a'), put('a'), put('a')].map(passes)).toEqual([true, true, true, false]);
  });

  it('refuses all calls of the account above its rate', () => {
    const { throttle, passes } = startThrottle();
    expect(Array.from({ length: 7 }, blob).map(passes).filter(Boolean)).toHaveLength(6);
    expect(throttle.counts.account).toBe(1);
  });

  it('counts the entities of a partition for every kind of call', () => {
    const { throttle, passes } = startThrottle();
    expect([insert('p'), read('p'), query('p'), insert('p'), read('p')].map(passes)).toEqual([
      ...[true, true, true, true],
      false,
    ]);
    expect(passes(insert('q'))).toBe(true);
    expect(throttle.counts.partition).toBe(1);
  });

  it('counts each change of a transaction as one entity, and eventually accepts a large transaction', () => {
    const { passes, wait } = startThrottle();
    expect([transaction('p', 3), transaction('p', 2), transaction('p', 1)].map(passes)).toEqual([true, false, true]);
    wait(1_000);
    expect(passes(transaction('p', 5))).toBe(true);
    wait(1_000);
    expect(passes(insert('p'))).toBe(true);
  });
});
