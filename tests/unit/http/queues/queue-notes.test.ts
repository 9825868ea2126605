import { describe, expect, it } from 'vitest';
import { queueNotes, waveNotes } from '../../../../shared/http/queues/queue-notes.ts';
import type { QueueView, WaveView } from '../../../../shared/http/queues/schemas.ts';

const nowMs = Date.parse('2026-11-23T12:00:00.000Z');
const at = (minutes: number): string => new Date(nowMs - minutes * 60_000).toISOString();

const IDLE: Omit<QueueView, 'notes'> = {
  ...{ queue: 'billing-bulk-0', workload: 'billing', lane: 'bulk', kind: 'items', pool: 'default', status: 'idle' },
  ...{ generation: 3, depth: 0, depthAt: at(1), backlog: { batches: 0, items: 0 }, active: 0, total: 9, idleCount: 0 },
  ...{ wakes: 0, paused: null, startFailure: null, missedWakes: 0, orphanedReferences: 0, taskLimit: 0, throttled: 0 },
  ...{ itemsPerSecond: 0, secondsPerReference: 0, load: null, policyVersion: 0, dueAt: null, limits: null },
};
const NO_LIMITS = { rateLimit: null, maxConcurrency: null, lowered: null, heldUntil: null, holders: 0, waiting: null };
const WAVE: WaveView = {
  ...{ at: at(5), seconds: 40, depth: 2_500, tasks: 12, bound: 'throttling', late: false, limitedBy: 'the task limit' },
  ...{ done: 50, items: 24_000, throttled: 9, secondsPerReference: 1 },
};

const textsOf = (changes: Partial<QueueView>): string[] =>
  queueNotes({ ...IDLE, ...changes }, nowMs).map(({ text }) => text);

describe('the notes on a queue', () => {
  it.each<[string, Partial<QueueView>, string[]]>([
    ['nothing is unusual', {}, []],
    ['it drains', { status: 'draining', depth: 9 }, []],
    [
      'messages wait without a drain',
      { depth: 2 },
      ['2 messages and no drain runs: one starts with the next wake, or at once by a drain now'],
    ],
    [
      'messages are delayed',
      { depth: 2, dueAt: at(-1) },
      ['its earliest delayed message becomes visible at 2026-11-23 12:01:00 UTC'],
    ],
    [
      'an operator has paused it for a time',
      { depth: 2, paused: { by: 'operator', reason: 'audit', since: at(2), until: at(-60) } },
      ['paused by an operator since 2026-11-23 11:58:00 UTC until 2026-11-23 13:00:00 UTC: audit'],
    ],
    [
      'an operator has paused it without a reason',
      { paused: { by: 'operator', reason: 'paused by an operator', since: at(2) } },
      ['paused by an operator since 2026-11-23 11:58:00 UTC'],
    ],
    [
      'the circuit is open',
      { paused: { by: 'circuit', reason: '9 of 10 items failed', since: at(2), probeAt: at(-1) } },
      [
        'paused by the circuit since 2026-11-23 11:58:00 UTC: 9 of 10 items failed; one task tries again at 2026-11-23 12:01:00 UTC',
      ],
    ],
    [
      'the circuit is open and no message can be received',
      { paused: { by: 'circuit', reason: '9 of 10 items failed', since: at(2), ran: 1, failures: 1 } },
      ['paused by the circuit since 2026-11-23 11:58:00 UTC: 9 of 10 items failed; one task tries the next message'],
    ],
    [
      'its drain does not start',
      { startFailure: { since: at(2), error: 'no task hub' } },
      ['its drain cannot be started since 2026-11-23 11:58:00 UTC: no task hub'],
    ],
    [
      'it was disturbed',
      { throttled: 1, taskLimit: 8, missedWakes: 3, orphanedReferences: 2_000 },
      [
        '1 throttled response in the last wave',
        'at most 8 tasks per wave: throttling, slow responses or failures lowered it',
        '3 missed wakes: the sweep found work that no event had announced',
        '2,000 references of batches that are gone were dropped',
      ],
    ],
    ['its limits are unused', { limits: NO_LIMITS }, []],
    [
      'its limits are shared, lowered and held',
      {
        limits: {
          ...{ ...NO_LIMITS, rateLimit: { calls: 200, perSeconds: 60 }, maxConcurrency: 1_000, holders: 2 },
          ...{ lowered: { factor: 0.05, since: at(1) }, heldUntil: at(-1) },
        },
      },
      [
        'throttled: nothing starts until 2026-11-23 12:01:00 UTC',
        'throttled: its rate is lowered to 5 % since 2026-11-23 11:59:00 UTC',
        'rate limit 200 calls/60 s',
        'at most 1,000 items in flight',
        'limits shared by 2 processes',
      ],
    ],
    [
      'no share of its limits is free',
      {
        depth: 5,
        dueAt: at(-1),
        limits: { ...NO_LIMITS, rateLimit: { items: 1, perSeconds: 1 }, waiting: { since: at(3), until: at(-1) } },
      },
      [
        'waits for a share of the limits of its workload since 2026-11-23 11:57:00 UTC, tries again at 2026-11-23 12:01:00 UTC',
        'rate limit 1 item/1 s',
      ],
    ],
  ])('if %s', (_, changes, texts) => expect(textsOf(changes)).toEqual(texts));
});

describe('the notes on its waves', () => {
  const notesOf = (changes: Partial<QueueView>, waves: WaveView[]): string[] =>
    waveNotes({ ...IDLE, ...changes }, waves).map(({ text }) => text);

  it('say that it is empty, or was never measured', () => {
    expect(notesOf({}, [])).toEqual(['it was empty at 2026-11-23 11:59:00 UTC']);
    expect(notesOf({ depthAt: null }, [])).toEqual(['its depth has not been measured yet']);
    expect(notesOf({ status: 'draining' }, [])).toEqual([]);
    expect(notesOf({ paused: { by: 'operator', reason: 'x', since: at(2) } }, [])).toEqual([]);
  });

  it('say what the latest wave was limited by', () => {
    expect(
      notesOf({ status: 'draining' }, [
        { ...WAVE, at: at(9) },
        { ...WAVE, late: true },
      ]),
    ).toEqual([
      'the wave that ended at 2026-11-23 11:55:00 UTC, planned for work that would miss its deadline, had 12 tasks for 2,500 messages, limited by the task limit; 24,000 items ended in it',
    ]);
  });
});
