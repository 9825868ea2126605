import { expect, it } from 'vitest';
import { batchNotes } from '../../../../../shared/http/batches/view/batch-notes.ts';

type Explained = Parameters<typeof batchNotes>[0];

const since = '2026-01-01T00:00:00.000Z';
const until = '2026-01-01T04:00:00.000Z';
const queue = 'billing-normal-0';
const blocked = { queue, since, reason: 'paused by the circuit: busy' };
const waiting = { queue, batchesAhead: 3, itemsAhead: 12_000, reason: 'the queue drains' };
const deadline = { at: until, met: null };
const BATCH: Explained = { state: 'queued', deadline, revision: 0 };

it.each<[string, Partial<Explained>, string[]]>([
  ['runs', { state: 'running' }, []],
  [
    'is paused',
    { state: 'paused', paused: { by: 'halt', reason: '6 of 10 are dead', since }, waiting },
    ['paused by the halt rule of its workload since 2026-01-01 00:00:00 UTC: 6 of 10 are dead'],
  ],
  [
    'is paused for a time',
    { state: 'paused', paused: { by: 'operator', reason: 'audit', since, until } },
    [
      'paused by an operator since 2026-01-01 00:00:00 UTC until 2026-01-01 04:00:00 UTC: audit; the first sweep after that resumes it',
    ],
  ],
  ['waits', { waiting }, ['behind 3 batches with 12,000 items in queue billing-normal-0: the queue drains']],
  [
    'is the first of a blocked queue',
    { blocked, waiting: { ...waiting, batchesAhead: 0, itemsAhead: 0, nextAt: until } },
    [
      'blocked by queue billing-normal-0 since 2026-01-01 00:00:00 UTC: paused by the circuit: busy',
      'first in queue billing-normal-0; continues at 2026-01-01 04:00:00 UTC',
    ],
  ],
  [
    'has no workload',
    { blocked: { reason: 'its workload "billing" is not deployed in this app' } },
    ['blocked: its workload "billing" is not deployed in this app'],
  ],
  [
    'will be late',
    { deadline: { ...deadline, atRiskAt: since }, revision: 1 },
    ['deadline of revision 1 at risk since 2026-01-01 00:00:00 UTC: it will probably be missed'],
  ],
  ['is finished', { state: 'completed', deadline: { ...deadline, atRiskAt: since } }, []],
])('the notes on a batch that %s', (_what, changes, texts) => {
  const notes = batchNotes({ ...BATCH, ...changes });
  expect(notes.map(({ text }) => text)).toEqual(texts);
  expect(notes.filter(({ text }) => text.includes(queue)).every((note) => note.queue === queue)).toBe(true);
});
