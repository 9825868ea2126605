import { expect, test } from 'vitest';
import { createDepths, queueDepth } from '../../../shared/queues/depths.ts';

function fixture() {
  const clock = { now: 100_000 };
  const measured: number[] = [];
  const depths = createDepths(
    async () => measured.push(clock.now),
    () => clock.now,
  );
  return { clock, measured, depths };
}

test('a queue is not measured again while its measurement is recent', async () => {
  const { clock, measured, depths } = fixture();
  const first = await depths.recentDepth('q', { maxAgeMs: 10_000 });
  clock.now += 9_999;
  const second = await depths.recentDepth('q', { maxAgeMs: 10_000 });
  clock.now += 1;
  const third = await depths.recentDepth('q', { maxAgeMs: 10_000 });
  expect([first, second, third]).toEqual([
    { messages: 1, atMs: 100_000 },
    { messages: 1, atMs: 100_000 },
    { messages: 2, atMs: 110_000 },
  ]);
  expect(measured).toHaveLength(2);
});

test('every measurement is stored, for any caller', async () => {
  const { measured, depths } = fixture();
  await depths.depthOf('q');
  await depths.recentDepth('q', { maxAgeMs: 10_000 });
  await depths.recentDepth('other', { maxAgeMs: 10_000 });
  expect(measured).toHaveLength(2);
  await depths.recentDepth('q', { maxAgeMs: 0 });
  expect(measured).toHaveLength(3);
});

test('the newer of two measurements counts, from any source', async () => {
  const { clock, measured, depths } = fixture();
  const options = { maxAgeMs: 10_000 };
  const known = { messages: 9, atMs: clock.now - 5_000 };
  expect(await depths.recentDepth('q', { ...options, known })).toEqual(known);
  await depths.depthOf('q');
  expect(await depths.recentDepth('q', { ...options, known })).toEqual({ messages: 1, atMs: clock.now });
  clock.now += 5_000;
  const newer = { messages: 4, atMs: clock.now };
  expect(await depths.recentDepth('q', { ...options, known: newer })).toEqual(newer);
  expect(measured).toHaveLength(1);
});

test('a failed measurement is not stored', async () => {
  const answers = [Promise.reject(new Error('away')), Promise.resolve(3)];
  const depths = createDepths(
    async () => (await answers.shift()) ?? 0,
    () => 0,
  );
  await expect(depths.recentDepth('q', { maxAgeMs: 10_000 })).rejects.toThrow('away');
  expect(await depths.recentDepth('q', { maxAgeMs: 10_000 })).toMatchObject({ messages: 3 });
});

test('a queue that does not exist is empty; any other failure is thrown', async () => {
  const failing = (statusCode: number) => ({
    getProperties: () => Promise.reject(Object.assign(new Error('no'), { statusCode })),
  });

  expect(await queueDepth(failing(404))).toBe(0);
  await expect(queueDepth(failing(503))).rejects.toThrow('no');
});
