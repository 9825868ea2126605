import { describe, expect, it } from 'vitest';
import type { Overview } from '../../../../shared/http/overview/schemas.ts';
import { run } from '../world.ts';

const BATCH = '01985a00-0000-7000-8000-000000000000';

describe('overview', () => {
  const none = { count: 0, batches: [] };
  const well: Overview = {
    at: '2026-11-22T14:04:00.123Z',
    queues: { count: 3, draining: 1, paused: 0, messages: 7, measuredAt: null, batches: 1, items: 900, read: 1 },
    ...{ late: none, atRisk: none, pausedQueues: [], pausedBatches: none, failedReports: none, suspect: none },
    deadLetters: { since: '2026-11-21T14:04:00.123Z', count: 0, causes: [], isWhole: true },
    ...{ missedWakes: [], poison: [], stuck: [], inboxRejects: { count: 0, files: [] } },
  };
  const shown = async (answer: Overview) => (await run('overview', { 'GET overview': { json: answer } })).out;

  it('reports that nothing requires attention', async () => {
    expect(await shown(well)).toBe(
      '3 queues, 1 draining, 0 paused: 7 messages; 1 open batch with 900 pending items\nNothing requires attention.\n',
    );
  });

  it('shows only the sections with problems, each with count and time', async () => {
    const since = '2026-11-22T14:03:00.123Z';
    const batch = { id: BATCH, workload: 'billing', lane: 'normal', since, items: 900 };
    const out = await shown({
      ...well,
      late: { count: 21, batches: [{ ...batch, file: 'usage.csv' }] },
      pausedBatches: {
        count: 1,
        batches: [{ ...batch, by: 'halt', reason: 'too many', text: 'paused by the halt rule: too many' }],
      },
      deadLetters: {
        ...well.deadLetters,
        count: 12,
        causes: [{ cause: 'timeout', workload: 'billing', count: 11, batches: 1, newest: BATCH }],
      },
    });
    expect(out.split('\n').slice(1, -1)).toEqual([
      'Late batches: 21',
      `  ${BATCH}  billing/normal  since 2026-11-22 14:03:00  900 items  usage.csv`,
      'Paused batches: 1',
      expect.stringMatching(/900 items .* paused by the halt rule: too many$/),
      'Dead letters: 12',
      `  11  billing  timeout  ${BATCH}`,
    ]);
  });
});
