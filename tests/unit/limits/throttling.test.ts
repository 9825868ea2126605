import { metrics } from '@opentelemetry/api';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reportThrottled } from '../../../shared/limits/permits.ts';
import { measured } from '../../helpers/fakes/measured.ts';
import { limitedProcesses, startClock } from './limited-processes.ts';

beforeEach(startClock);
afterEach(() => {
  vi.useRealTimers();
  metrics.disable();
});

it('halves its rate immediately when the other side throttles, and writes that to the row for the others', async () => {
  const { process, row } = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } });
  const a = process('a');
  await a.enter('queue-1');
  await a.calls(1_000);
  reportThrottled(a.permits(), 500);
  expect(await a.calls(500)).toBe(0);
  expect((await row()).factor).toBe(0.5);
  expect(await a.calls(1_000)).toBeLessThanOrEqual(50);
});

it('starts nothing for the longest pause that the other side asked for, even if the row cannot be written', async () => {
  const { process, hold } = limitedProcesses({ rateLimit: { calls: 600, perSeconds: 60 } });
  const a = process('a');
  await a.enter('queue-1');
  hold().fail();
  reportThrottled(a.permits(), 5_000);
  await a.calls(40);
  reportThrottled(a.permits(), 1_000);
  // The lease ends after 3.5 s.
  expect(await a.calls(3_400)).toBe(0);
});

it('counts throttling once per report to the others', async () => {
  const a = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } }).process('a');
  await a.enter('queue-1');
  const found = await measured(async () => {
    reportThrottled(a.permits(), 500);
    reportThrottled(a.permits(), 300);
    await a.calls(1_100);
  });
  expect(found['sluice.rate.lowered']).toEqual([[{ workload: 'mail' }, 1]]);
});

it('claims once per second, regardless of the number of throttling responses', async () => {
  const { process, operations, row } = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } });
  const a = process('a');
  await a.enter('queue-1');
  await a.calls(1_000);
  operations.length = 0;
  for (let at = 0; at < 1_000; at += 20) {
    reportThrottled(a.permits(), 100);
    await a.calls(20);
  }
  expect(operations.length).toBeLessThanOrEqual(2);
  expect((await row()).factor).toBe(0.5);
});

it('claims only once per second while claims fail', async () => {
  const { process, operations, hold } = limitedProcesses({ rateLimit: { calls: 100, perSeconds: 1 } });
  const a = process('a');
  await a.enter('queue-1');
  await a.calls(1_000);
  operations.length = 0;
  hold().fail();
  for (let at = 0; at < 1_000; at += 20) {
    reportThrottled(a.permits(), 100);
    await a.calls(20);
  }
  expect(operations.length).toBeLessThanOrEqual(2);
});
