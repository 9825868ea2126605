import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEAD, ENDED, IN_FLIGHT, NOT_BEGUN } from '../../../../shared/processing/thread/thread-status.ts';
import type { Copy } from '../../../../shared/processing/thread/thread-task.ts';
import { NOW_MS, retriesJob } from '../../../helpers/data/chunks.ts';
import { ids, type MapItem, run, workloadOf } from '../../../helpers/threads/run-chunk.ts';

describe('the remains of a dead thread', () => {
  const workload = workloadOf(
    () => {
      throw new Error('No handler is called.');
    },
    { reduce: { key: () => 'all', init: () => 0, add: (sum: number, id: number) => sum + id, merge: () => 0 } },
  );
  const copies: Copy[] = [
    {
      ends: [
        [1, 2],
        [0, 2],
      ],
      bytes: new TextEncoder().encode('2010'),
    },
  ];
  const items = Uint8Array.from([ENDED, ENDED, ENDED, IN_FLIGHT, IN_FLIGHT, NOT_BEGUN]);

  it('become the outcome: copied items keep their ends, the rest is passed on with how it must run', async () => {
    const remains = { items, copies, verdict: undefined };
    const { results, partial, retries, header, failures } = await run(workload, ids(1, 2, 3, 4, 5, 6), { remains });
    expect(results).toEqual([10, 20]);
    expect(partial).toEqual([{ key: 'all', value: 30 }]);
    expect(retries.map(({ index, rerun, attempts }) => [index, rerun, attempts.length])).toEqual([
      [102, 'careful', 0],
      [103, 'alone', 0],
      [104, 'alone', 0],
      [105, undefined, 0],
    ]);
    expect(header.counts).toEqual({ items: 6, succeeded: 2, dead: 0, cancelled: 0, retried: 4 });
    expect([failures, header.moved]).toEqual([0, 4]);
  });

  it('keep a dead letter that was copied', async () => {
    const letter = {
      index: 100,
      reason: 'rejected',
      error: { name: 'Reject', message: 'no' },
      attempts: [],
      version: 3,
    };
    const bytes = new TextEncoder().encode(JSON.stringify(letter));
    const end = { kind: 'dead', ran: true, failed: false, cause: 'rejected: Reject: no' } as const;
    const copied: Copy = { ends: [[0, bytes.length, end]], bytes };
    const remains = { items: Uint8Array.from([DEAD, IN_FLIGHT]), copies: [copied], verdict: undefined };

    const { dead, causes, header } = await run(workload, ids(1, 2), { remains });

    expect(dead).toEqual([letter]);
    expect(causes).toEqual({ 'rejected: Reject: no': 1 });
    expect(header.counts).toMatchObject({ dead: 1, retried: 1 });
  });

  it('charge the item that ran alone: a dead letter, or a timeout that runs alone again', async () => {
    const error = { name: 'ThreadExitError', message: 'exit code 3' };
    const killed = { items, copies, verdict: { slot: 3, atMs: NOW_MS, kind: 'killed', error } as const };
    expect((await run(workload, ids(1, 2, 3, 4, 5, 6), { remains: killed })).dead).toMatchObject([
      { index: 103, reason: 'killed', error, attempts: [{ at: '2026-01-01T00:00:00.000Z' }] },
    ]);
    const timedOut = { items, copies, verdict: { slot: 3, atMs: NOW_MS, kind: 'timedOut' } as const };
    const { retries } = await run(workload, ids(1, 2, 3, 4, 5, 6), { remains: timedOut });
    expect(retries[1]).toMatchObject({ index: 103, rerun: 'alone', notBefore: '2026-01-01T00:00:01.000Z' });
    expect(retries[1]?.attempts).toHaveLength(1);
  });
});

describe('items that a dead thread did not finish', () => {
  const retry = (index: number, rerun?: 'alone' | 'careful') => ({
    index,
    attempts: [],
    item: { id: index },
    ...(rerun && { rerun }),
  });

  it('run first and alone if they were in flight; the next ones are copied as they end', async () => {
    const log: string[] = [];
    const map: MapItem = async ({ id }) => {
      log.push(`+${id}`);
      await sleep(5);
      log.push(`-${id}`);
      return id;
    };
    const lines = [retry(1), retry(2, 'careful'), retry(3, 'alone'), retry(4, 'careful'), retry(5, 'alone')];
    const { results, copies } = await run(workloadOf(map), retriesJob(lines, NOW_MS));
    expect(log).toEqual(['+3', '-3', '+5', '-5', '+2', '+4', '-2', '-4', '+1', '-1']);
    expect(results).toEqual([1, 2, 3, 4, 5]);
    expect(copies).toEqual([[[2, '3']], [[4, '5']], [[1, '2']], [[3, '4']]]);
  });
});
