import { setTimeout as sleep } from 'node:timers/promises';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { describe, expect, it } from 'vitest';
import { Reject, Retry } from '../../../../../shared/workload/errors.ts';
import { NOW_MS, retriesJob } from '../../../../helpers/data/chunks.ts';
import { type Item, ids, type MapItem, run, workloadOf } from '../../../../helpers/threads/run-chunk.ts';

const throwOn =
  (id: number, error: unknown): MapItem =>
  (one) => {
    if (one.id === id) throw error;
    return { id: one.id };
  };

describe('a handler that throws', () => {
  it('Reject creates a dead letter immediately', async () => {
    const { dead, failures, ran } = await run(workloadOf(throwOn(2, new Reject('order 17 is closed'))), ids(1, 2));
    expect(dead[0]).toMatchObject({
      reason: 'rejected',
      error: { name: 'Reject', message: 'order 17 is closed' },
      attempts: [{ at: '2026-01-01T00:00:00.000Z', error: { name: 'Reject', message: 'order 17 is closed' } }],
      item: { id: 2 },
    });
    expect([failures, ran]).toEqual([0, 2]);
  });

  it('anything else is charged an attempt and retried with back-off', async () => {
    const { retries, header, failures, failure } = await run(workloadOf(throwOn(2, new Error('boom'))), ids(1, 2));
    expect(retries).toMatchObject([
      {
        index: 101,
        attempts: [{ at: '2026-01-01T00:00:00.000Z', error: { name: 'Error', message: 'boom' } }],
        notBefore: '2026-01-01T00:00:01.000Z',
        item: { id: 2 },
      },
    ]);
    expect(header.dueAt).toBe('2026-01-01T00:00:01.000Z');
    expect(failures).toBe(1);
    expect(failure).toBe('Error: boom');
  });

  it('Retry may specify a longer wait; the chunk is due with its earliest item', async () => {
    const map: MapItem = (one) => {
      throw one.id === 1 ? new Retry('busy', { after: 90 }) : 'a text';
    };
    const { retries, header } = await run(workloadOf(map), ids(1, 2));
    expect(retries.map(({ notBefore }) => notBefore)).toEqual(['2026-01-01T00:01:30.000Z', '2026-01-01T00:00:01.000Z']);
    expect(header.dueAt).toBe('2026-01-01T00:00:01.000Z');
    expect(retries[1]?.attempts[0]?.error).toEqual({ name: 'Error', message: 'a text' });
  });

  it('is tried as often as the workload allows, and keeps every attempt', async () => {
    const workload = workloadOf(throwOn(1, new Error('boom')));
    const first = await run(workload, ids(1));
    const second = await run(workload, retriesJob(first.retries, NOW_MS + 1_000));
    expect(second.retries[0]?.notBefore).toBe('2026-01-01T00:00:03.000Z');
    const third = await run(workload, retriesJob(second.retries, NOW_MS + 3_000));
    expect(third.header.counts).toMatchObject({ dead: 1, retried: 0 });
    expect(third.dead[0]).toMatchObject({
      index: 100,
      reason: 'exhausted',
      error: { name: 'Error', message: 'boom' },
      attempts: [
        { at: '2026-01-01T00:00:00.000Z', error: { name: 'Error', message: 'boom' } },
        { at: '2026-01-01T00:00:01.000Z', error: { name: 'Error', message: 'boom' } },
        { at: '2026-01-01T00:00:03.000Z', error: { name: 'Error', message: 'boom' } },
      ],
      item: { id: 1 },
    });
    expect(third.failures).toBe(1);
  });

  it('fails alone, whatever it throws', async () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const { results, retries } = await run(workloadOf(throwOn(1, proxy)), ids(1, 2));
    expect(results).toEqual([{ id: 2 }]);
    expect(retries[0]?.attempts).toMatchObject([{ error: { name: 'Error', message: '<Revoked Proxy>' } }]);
  });

  it('stores the place and the cause of its error in the dead letter and in the attempt', async () => {
    const cause = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    const { dead } = await run(workloadOf(throwOn(1, new Reject('no', { cause }))), ids(1));
    const here = expect.stringMatching(
      /^(\w+ \()?tests\/unit\/processing\/thread\/calls\/start-unit\.test\.ts:\d+:\d+\)?$/,
    );
    const error = { stack: expect.arrayContaining([here]), causes: [{ message: 'connect', code: 'ECONNREFUSED' }] };
    expect(dead[0]).toMatchObject({ error, attempts: [{ error }] });
  });

  it('does not affect the retry by changing the item', async () => {
    const keep: StandardSchemaV1<unknown, Item> = {
      '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: value as Item }) },
    };
    const map: MapItem = (one) => {
      one.id = 99;
      throw new Error('boom');
    };
    const workload = workloadOf(map, { item: keep });
    const first = await run(workload, ids(1));
    const second = await run(workload, retriesJob(first.retries, NOW_MS + 1_000));
    expect(second.retries[0]?.item).toEqual({ id: 1 });
  });

  it('a very long message is cut', async () => {
    const { dead } = await run(workloadOf(throwOn(1, new Reject('x'.repeat(50_000)))), ids(1));
    expect(dead[0]?.error.message.length).toBeLessThan(2_100);
  });
});

describe('an asynchronous handler that exceeds its time', () => {
  it('fails its item for retry whether it handles the signal or not', async () => {
    const map: MapItem = ({ id }, { signal }) => {
      if (id === 1) return new Promise(() => {});
      if (id === 2)
        return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('mine'))));
      return [id, signal.aborted];
    };
    const { retries, results } = await run(workloadOf(map), ids(1, 2, 3));
    expect(results).toEqual([[3, false]]);
    expect(retries.map(({ attempts }) => attempts[0]?.error)).toEqual([
      { name: 'TimeoutError', message: 'timed out after 0.05 s' },
      { name: 'TimeoutError', message: 'timed out after 0.05 s' },
    ]);
  });

  it('is not called when the validation ends after its time', async () => {
    const slow: StandardSchemaV1<unknown, Item> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: async (value) => ({ value: await sleep(120, value as Item) }),
      },
    };
    let calls = 0;
    const { retries } = await run(
      workloadOf(
        () => {
          calls += 1;
        },
        { item: slow },
      ),
      ids(1),
    );
    await sleep(150);
    expect(retries).toHaveLength(1);
    expect(calls).toBe(0);
  });
});
