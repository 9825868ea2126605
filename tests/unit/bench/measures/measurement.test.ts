import { describe, expect, it } from 'vitest';
import { readArguments } from '../../../../bench/arguments.ts';
import { reportDigest } from '../../../../bench/measures/digest.ts';
import { fastest, type Measurement, median } from '../../../../bench/measures/measurement.ts';
import { percentile } from '../../../../bench/measures/percentile.ts';
import { pollWait } from '../../../../bench/measures/wake.ts';

const run = (seconds: number): Measurement => ({
  ...{ items: 100, seconds, operations: {}, actions: 0, cpuSeconds: 0, peakBytes: 0 },
});

describe('of several runs', () => {
  it('the median counts, and the slower of two', () => {
    expect(median([run(1), run(9), run(3)]).seconds).toBe(3);
    expect(median([run(1), run(3)]).seconds).toBe(3);
  });

  it('the fastest counts for a baseline', () => {
    expect(fastest([run(3), run(1), run(9)]).seconds).toBe(1);
  });
});

it.each([
  [50, 2],
  [75, 3],
  [99, 4],
])('percentile %i of four uses the nearest rank', (percent, value) => {
  expect(percentile([4, 1, 3, 2], percent)).toBe(value);
});

it('a report has the same digest in any order of its lines and of their keys', () => {
  const lines = ['{"key":"a","value":{"x":1,"y":2}}', '{"key":"b","value":{"x":3}}'];
  const turned = ['{"value":{"x":3},"key":"b"}', '', '{"value":{"y":2,"x":1},"key":"a"}'];
  expect(reportDigest(turned)).toBe(reportDigest(lines));
  expect(reportDigest(['{"key":"a","value":{"x":1,"y":3}}'])).not.toBe(reportDigest(lines.slice(0, 1)));
});

it('the median wait for a poll is half of its interval, and long waits are nearly all of it', () => {
  expect(pollWait(1_000)).toEqual({ p50: 500, p99: 990 });
});

describe('the command', () => {
  it('measures everything unless parts are requested', () => {
    expect(readArguments([])).toMatchObject({ throughput: true, small: true, wake: true, items: 1_000_000 });
    expect(readArguments(['--small'])).toMatchObject({ throughput: false, small: true, wake: false });
    expect(readArguments(['--quick', '--items', '5000'])).toMatchObject({ rounds: 1, items: 5_000 });
  });

  it('measures handlers that wait, over HTTP only if requested', () => {
    expect(readArguments([])).toMatchObject({ waiting: true, http: false });
    expect(readArguments(['--waiting'])).toMatchObject({ waiting: true, http: false, throughput: false, wake: false });
    expect(readArguments(['--waiting', '--http'])).toMatchObject({ waiting: true, http: true });
    expect(() => readArguments(['--http'])).toThrow('--http: expected --waiting as well');
  });

  it('measures limits, also alone', () => {
    expect(readArguments([])).toMatchObject({ limits: true });
    expect(readArguments(['--limits'])).toMatchObject({ limits: true, throughput: false, waiting: false });
    expect(readArguments(['--small'])).toMatchObject({ limits: false });
  });

  it('measures memory and the start of the stack, also alone', () => {
    expect(readArguments([])).toMatchObject({ memory: true, start: true, fiveMillion: false, peers: false });
    expect(readArguments(['--start'])).toMatchObject({ start: true, memory: false, throughput: false });
    expect(readArguments(['--throughput'])).toMatchObject({ throughput: true, memory: false, start: false });
    expect(readArguments(['--five-million'])).toMatchObject({ memory: true, fiveMillion: true, throughput: false });
  });

  it('measures job queues together with the other contenders, with its own or running servers', () => {
    expect(readArguments(['--peers'])).toMatchObject({ peers: true, throughput: true, small: false });
    const redis = 'redis://127.0.0.1:6379';
    expect(readArguments(['--peers', '--redis', redis])).toMatchObject({ redis, postgres: undefined });
    expect(() => readArguments(['--redis', redis])).toThrow('--redis, --postgres: expected --peers as well');
  });

  it('refuses an invalid number of items', () => {
    expect(() => readArguments(['--items', '1e6'])).toThrow('--items: expected a whole number from 1, got "1e6"');
  });
});
