import { describe, expect, it } from 'vitest';
import type { PolicyView, WaveView } from '../../../../web/api/types.ts';
import { compareTasks, tasksUnder } from '../../../../web/queue/dry-run.ts';

const POLICY: PolicyView['policy'] = {
  thresholds: [{ below: 100, tasks: 2 }, { below: 10_000, tasks: 8 }, { tasks: 40 }],
  ...{ capacity: 40, headroom: 0.25, targetSeconds: 10 },
};

const wave = (part: Partial<WaveView>): WaveView => ({
  ...{ at: '2026-11-23T12:00:00.000Z', seconds: 1, depth: 100, tasks: 5, bound: 'rule', late: false, limitedBy: '' },
  ...{ done: 1, items: 1, throttled: 0, secondsPerReference: 10 },
  ...part,
});

const tasksOf = (part: Partial<WaveView>, policy = POLICY, lane = 'normal'): number[] =>
  tasksUnder({ lane, itemsPerReference: 50, waves: [wave(part)] }, policy);

describe('a dry run of a policy', () => {
  it.each<[string, Partial<WaveView>, number]>([
    ['by the steps, of items', { depth: 100 }, 8],
    ['by the work', { depth: 250, secondsPerReference: 0.2 }, 5],
    ['by the messages', { depth: 3 }, 3],
    ['by the capacity', { depth: 5_000 }, 40],
    ['without the steps where work would be late', { depth: 100, late: true }, 40],
    ['not above what throttling left', { depth: 100, tasks: 5, bound: 'throttling' }, 5],
    ['not above what the limits allowed', { depth: 100, tasks: 5, bound: 'limits' }, 5],
    ['not above what the instances could', { depth: 100, tasks: 5, bound: 'saturation' }, 5],
    ['by one probe', { depth: 100, tasks: 1, bound: 'probe' }, 1],
    ['by one collector', { depth: 100, tasks: 1, bound: 'collector' }, 1],
  ])('counts tasks %s', (_, part, tasks) => {
    expect(tasksOf(part)).toEqual([tasks]);
  });

  it('leaves the headroom of a bulk lane free', () => {
    expect(tasksOf({ depth: 5_000 }, POLICY, 'bulk')).toEqual([30]);
  });

  it('lowers tasks that throttling has bounded if the policy allows fewer', () => {
    expect(tasksOf({ tasks: 5, bound: 'throttling' }, { ...POLICY, capacity: 3 })).toEqual([3]);
  });

  it('summarizes the effect of a change', () => {
    expect(compareTasks([1, 8], [1, 8])).toBe('The same tasks in each of the last 2 waves.');
    expect(compareTasks([8], [8])).toBe('The same tasks in the last wave.');
    expect(compareTasks([1, 8], [1, 3])).toBe(
      'Other tasks in 1 of the last 2 waves: 4 instead of 9 in all, at most 3 instead of 8 at a time.',
    );
  });
});
