import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readDurableConfig } from '../../../../src/durable/config.ts';
import { WorkerLostError } from '../../../../src/durable/errors.ts';
import { createConnectedInstance } from '../../../../src/durable/hub/connected-instance.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const request = { functionName: 'work', kind: 'activity', input: '', instanceId: '1' } as const;

function create(onSilent = () => {}, onAlive = () => {}) {
  const socket = { writable: true, write: () => true } as unknown as Socket;
  const config = readDurableConfig({ storageProvider: { workItemQueueVisibilityTimeout: '00:00:02' } }, 1);
  return createConnectedInstance({ name: 'host-1', socket, config, onSilent, onAlive });
}

test('an instance is idle until it receives work, and again after it has answered', async () => {
  const instance = create();
  expect(instance.isIdle()).toBe(true);
  const answer = instance.worker.invoke(request);
  expect(instance.isIdle()).toBe(false);
  instance.receive({ type: 'returned', id: 1, value: { int: 1 } });
  expect(instance.isIdle()).toBe(true);
  expect(await answer).toEqual({ int: 1 });
});

test('an invocation without a result runs again', async () => {
  const instance = create();
  const lost = expect(instance.worker.invoke(request)).rejects.toThrow(WorkerLostError);
  instance.receive({ type: 'lost', id: 1, message: 'its process ends' });
  await lost;
  expect(instance.isIdle()).toBe(true);
});

test('a dead instance is idle when the visibility timeout of its work ends', async () => {
  const instance = create();
  const lost = expect(instance.worker.invoke(request)).rejects.toThrow('sent nothing for 2000 ms');
  instance.disconnect();
  vi.advanceTimersByTime(1_999);
  expect(instance.isIdle()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(instance.isIdle()).toBe(true);
  await lost;
});

test('an instance is reported as silent after three missing keep-alive messages, and as alive after the next one', () => {
  const onSilent = vi.fn();
  const onAlive = vi.fn();
  const instance = create(onSilent, onAlive);
  vi.advanceTimersByTime(3 * instance.aliveEveryMs - 1);
  expect(onSilent).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(onSilent).toHaveBeenCalledTimes(1);
  instance.receive({ type: 'alive' });
  expect(onAlive).toHaveBeenCalledTimes(1);
  instance.disconnect();
});
