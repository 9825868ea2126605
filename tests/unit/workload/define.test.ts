import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineWorkload, type RetryPolicy } from '../../../shared/workload/define.ts';
import { WorkloadDefinitionError } from '../../../shared/workload/errors.ts';

const define = (options: object) =>
  defineWorkload({ name: 'w', version: 1, item: z.object({}), map: () => 1, ...options });

describe('retry', () => {
  it('has a default for each absent field', () => {
    const rest = { factor: 2, maxDelaySeconds: 900, jitter: 0.2 };
    expect(define({}).retry).toEqual({ attempts: 5, firstDelaySeconds: 1, ...rest });
    expect(define({ retry: { attempts: 3 } }).retry).toEqual({ attempts: 3, firstDelaySeconds: 1, ...rest });
  });

  it.each<[Partial<RetryPolicy>, string]>([
    [{ attempts: 0 }, 'retry.attempts must be 1 to 100, got 0.'],
    [{ attempts: 2.5 }, 'retry.attempts must be 1 to 100, got 2.5.'],
    [{ firstDelaySeconds: -1 }, 'retry.firstDelaySeconds must be 0 to 604800, got -1.'],
    [{ factor: 0.5 }, 'retry.factor must be 1 to 10, got 0.5.'],
    [{ firstDelaySeconds: 60, maxDelaySeconds: 30 }, 'retry.maxDelaySeconds must be 60 to 604800, got 30.'],
    [{ maxDelaySeconds: 604_801 }, 'retry.maxDelaySeconds must be 1 to 604800, got 604801.'],
    [{ jitter: 1.5 }, 'retry.jitter must be 0 to 1, got 1.5.'],
    [{ jitter: undefined as never }, 'retry.jitter must be 0 to 1, got undefined.'],
  ])('%j is refused', (retry, message) => {
    expect(() => define({ retry })).toThrow(new WorkloadDefinitionError(`Workload "w": ${message}`));
  });

  it('accepts fractions of a second, and zero', () => {
    const retry = { firstDelaySeconds: 0, factor: 1.5, maxDelaySeconds: 0.25, jitter: 0 };
    expect(define({ retry }).retry).toMatchObject(retry);
  });

  it('contains the number of attempts', () => {
    expect(() => define({ attempts: 3 })).toThrow('Workload "w": attempts must be specified as retry.attempts, got 3.');
  });
});

describe('options for asynchronous handlers', () => {
  const later = async () => 1;
  const groups = { map: undefined, mapChunk: async () => [] };

  it('set the number of calls in flight and of items per call', () => {
    expect(define({})).toMatchObject({ concurrency: 16, group: { maxItems: 5_000 } });
    expect(define({ ...groups, concurrency: 4, group: { maxItems: 200 } })).toMatchObject({
      concurrency: 4,
      group: { maxItems: 200 },
    });
  });

  it.each([
    [{ concurrency: 0 }, 'concurrency must be 1 to 1000, got 0.'],
    [{ concurrency: 1.5 }, 'concurrency must be 1 to 1000, got 1.5.'],
    [{ ...groups, group: { maxItems: 0 } }, 'group.maxItems must be 1 to 100000, got 0.'],
    [{ rateLimit: { calls: 0, perSeconds: 1 } }, 'rateLimit.calls must be a whole number, 1 to 100000000, got 0.'],
    [{ rateLimit: { calls: 5, items: 5, perSeconds: 1 } }, 'rateLimit must be specified in either items or calls'],
    [{ rateLimit: { perSeconds: 1 } }, 'rateLimit must be specified in either items or calls'],
    [{ rateLimit: { calls: 1, perSeconds: 61 } }, 'rateLimit must be at least one per 60 seconds'],
    [{ rateLimit: { calls: 5, perSeconds: 0.5 } }, 'rateLimit.perSeconds must be a whole number, 1 to 86400, got 0.5.'],
    [
      { ...groups, group: { maxItems: 10 }, rateLimit: { items: 9, perSeconds: 1 } },
      'rateLimit.items must be a whole number, at least 10 as in one call, got 9.',
    ],
    [
      { ...groups, group: { maxItems: 10 }, maxConcurrency: 9 },
      'maxConcurrency must be a whole number of items, at least 10 as in one call, got 9.',
    ],
    [{ group: { maxItems: 10 } }, 'group must be absent without mapChunk, got {"maxItems":10}.'],
  ])('%j is refused', (options, message) => {
    expect(() => define(options)).toThrow(`Workload "w": ${message}`);
  });

  it.each([
    ['ten calls a second', { rateLimit: { calls: 10, perSeconds: 1 } }, 100, 100],
    ['one call a minute', { rateLimit: { calls: 1, perSeconds: 60 } }, 1, 1],
    ['much', { rateLimit: { items: 1_000_000, perSeconds: 1 } }, 5_000, 5_000],
    [
      '200 groups of 200 a minute',
      { ...groups, group: { maxItems: 200 }, rateLimit: { calls: 200, perSeconds: 60 } },
      5_000,
      200,
    ],
    ['items, which a group must not use up', { ...groups, rateLimit: { items: 50, perSeconds: 1 } }, 500, 50],
    ['in flight, which a group must fit', { ...groups, maxConcurrency: 20 }, 5_000, 20],
  ])('limit a chunk to the items that the rate permits in 10 s: %s', (_, options, chunk, group) => {
    const workload = define(options);
    expect([workload.chunk.maxItems, workload.group.maxItems]).toEqual([chunk, group]);
  });

  it.each([
    ['a synchronous one', {}, 0.1],
    ['5,000 calls, 16 at a time', { map: later }, 15.625],
    ['500 calls, 50 at a time', { map: later, concurrency: 50, chunk: { maxItems: 500 } }, 0.5],
    ['25 groups, 16 at a time', { ...groups, group: { maxItems: 200 } }, 0.1],
    ['the most there is', { map: later, concurrency: 1, chunk: { maxItems: 100_000 } }, 600],
    ['what it says itself', { map: later, secondsPerChunk: 3 }, 3],
  ])('determine the expected duration of a chunk: %s', (_, options, seconds) => {
    expect(define(options).secondsPerChunk).toBeCloseTo(seconds);
  });
});

describe('halt', () => {
  it('is off by default, and kept as it is specified', () => {
    expect(define({}).halt).toBeUndefined();
    expect(define({ halt: { deadShare: 0.25, after: 1_000 } }).halt).toEqual({ deadShare: 0.25, after: 1_000 });
  });

  it.each([
    [{ deadShare: 1.5, after: 1 }, 'halt.deadShare must be 0 to 1, got 1.5.'],
    [{ deadShare: 0.5, after: 0 }, 'halt.after must be 1 to 1000000000, got 0.'],
    [{ deadShare: 0.5, after: 1.5 }, 'halt.after must be 1 to 1000000000, got 1.5.'],
    [{ after: 10 }, 'halt.deadShare must be 0 to 1, got undefined.'],
  ])('%j is refused', (halt, message) => {
    expect(() => define({ halt })).toThrow(`Workload "w": ${message}`);
  });
});

describe('inbox', () => {
  it('reports repeated content by default', () => {
    expect(define({}).inbox).toEqual({ repeatedContent: 'report' });
    expect(define({ inbox: { repeatedContent: 'refuse' } }).inbox).toEqual({ repeatedContent: 'refuse' });
  });

  it('refuses any other value', () => {
    const message = `Workload "w": inbox.repeatedContent must be 'report' or 'refuse', got "reject".`;
    expect(() => define({ inbox: { repeatedContent: 'reject' as 'refuse' } })).toThrow(message);
  });
});
