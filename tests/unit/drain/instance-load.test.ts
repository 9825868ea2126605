import { expect, test } from 'vitest';
import { createInstanceMeasure } from '../../../shared/drain/instance-load.ts';

/** A process of two cores, whose gauges a test sets. */
function fakeProcess() {
  const now = { ms: 1_000, cpuMs: 400, active: 70, idle: 900 };
  const measure = createInstanceMeasure('a1b2', {
    nowMs: () => now.ms,
    cpuMs: () => now.cpuMs,
    eventLoopMs: () => ({ active: now.active, idle: now.idle }),
    cores: 2,
  });
  const pass = (ms: number, cpuMs: number, activeMs: number): void => {
    now.ms += ms;
    now.cpuMs += cpuMs;
    now.active += activeMs;
    now.idle += ms - activeMs;
  };
  return { measure, pass };
}

const NO_RESPONSES = { count: 0, ms: 0, throttled: 0 };

test("CPU time is a share of all cores, and event loop time is a share of the slice's duration", () => {
  const { measure, pass } = fakeProcess();
  const finish = measure();

  pass(10_000, 15_000, 2_500);

  const load = {
    instance: 'a1b2',
    ms: 10_000,
    cpu: 0.75,
    eventLoop: 0.25,
    responses: 8,
    responseMs: 121,
    throttled: 1,
  };
  expect(finish({ count: 8, ms: 120.6, throttled: 1 })).toEqual(load);
});

test('slices that run at the same time are each measured over their own duration', () => {
  const { measure, pass } = fakeProcess();
  const long = measure();
  pass(1_000, 2_000, 1_000);
  const short = measure();
  pass(1_000, 0, 0);

  expect([short(NO_RESPONSES).cpu, long(NO_RESPONSES).cpu]).toEqual([0, 0.5]);
});

test('clocks that differ slightly cause no share above one, and a duration of zero causes a share of zero', () => {
  const { measure, pass } = fakeProcess();
  const finish = measure();
  expect(finish(NO_RESPONSES)).toMatchObject({ ms: 0, cpu: 0, eventLoop: 0 });

  pass(10, 25, 11);
  expect(finish(NO_RESPONSES)).toMatchObject({ cpu: 1, eventLoop: 1 });
});

test('reads possible values from the process that it runs in', () => {
  const load = createInstanceMeasure('a1b2')()(NO_RESPONSES);

  for (const share of [load.cpu, load.eventLoop]) {
    expect(share).toBeGreaterThanOrEqual(0);
    expect(share).toBeLessThanOrEqual(1);
  }
});
