import { describe, expect, it } from 'vitest';
import { KEYS, run } from '../../world.ts';

const POLICY = { thresholds: [{ tasks: 100 }], capacity: 100, headroom: 0.25, targetSeconds: 10 };
const policyView = { queue: 'q', version: 4, policy: POLICY };

describe('queue', () => {
  const view = {
    queue: 'q',
    status: 'draining',
    depth: 40,
    paused: null,
    startFailure: null,
    dueAt: null,
    limits: null,
  };
  const wave = {
    ...{ at: '2026-11-01T10:00:00.000Z', seconds: 12.3, depth: 4_000, tasks: 20, bound: 'saturation', late: true },
    limitedBy: 'busy instances',
    ...{ done: 300, items: 30_000, throttled: 0, secondsPerReference: 0.2 },
  };

  it('shows the latest waves, and what limited their tasks', async () => {
    const json = {
      ...view,
      policy: policyView,
      waves: [{ ...wave, late: false, limitedBy: 'the thresholds of the policy' }, wave],
    };
    const { out, asked } = await run('queue q --fresh', { 'GET queues/q?fresh=true': { json } });
    expect(asked[0]?.key).toBe(KEYS.SLUICE_OPERATOR_KEY);
    expect(out.split('\n')).toEqual([
      'q: draining, depth 40',
      'Policy: version 4',
      '  ended                took    depth  tasks  done  items   throttled  limited by',
      '  2026-11-01 10:00:00  12.3 s  4,000     20   300  30,000          0  the thresholds of the policy',
      '  2026-11-01 10:00:00  12.3 s  4,000     20   300  30,000          0  busy instances, late',
      '',
    ]);
  });

  it('reports a queue without waves', async () => {
    const json = { ...view, policy: { ...policyView, version: 0 }, waves: [] };
    const { out } = await run('queue q', { 'GET queues/q': { json } });
    expect(out).toBe('q: draining, depth 40\nPolicy: the default\nNo waves yet.\n');
  });
});
