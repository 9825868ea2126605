import { describe, expect, it } from 'vitest';
import type { AuditEntry, QueueDetails, WaveView } from '../../../../web/api/types.ts';
import { whyTexts } from '../../../../web/queue/why-texts.ts';

const NOW = '2026-11-23T12:00:00.000Z';
const nowMs = Date.parse(NOW);
const at = (minutes: number): string => new Date(nowMs - minutes * 60_000).toISOString();

const WAVE: WaveView = {
  ...{ at: at(5), seconds: 40, depth: 2_500, tasks: 12, bound: 'throttling', late: false },
  ...{ done: 50, items: 24_000, throttled: 9, secondsPerReference: 1 },
};

const IDLE: QueueDetails = {
  ...{ queue: 'billing-bulk-0', workload: 'billing', lane: 'bulk', kind: 'items', pool: 'default', status: 'idle' },
  ...{ generation: 3, depth: 0, depthAt: at(1), backlog: { batches: 0, items: 0 }, active: 0, total: 9, idleCount: 0 },
  ...{ wakes: 0, paused: null, startFailure: null, missedWakes: 0, orphanedReferences: 0, taskLimit: 0, throttled: 0 },
  ...{ itemsPerSecond: 0, secondsPerReference: 0, load: null, policyVersion: 0, dueAt: null, limits: null },
  ...{ itemsPerReference: 500, waves: [] },
  policy: {
    ...{ queue: 'billing-bulk-0', version: 0 },
    policy: { thresholds: [{ tasks: 10 }], capacity: 10, headroom: 0.25, targetSeconds: 10 },
  },
};
const PAUSE: AuditEntry = {
  ...{ at: at(3), action: 'pause-queue', target: 'billing-bulk-0', by: 'Ada', verified: true, detail: '', status: 200 },
};

const textsOf = (changes: Partial<QueueDetails>, actions: AuditEntry[] = []): string[] =>
  whyTexts({ queue: { ...IDLE, ...changes }, actions, nowMs }).map(({ text }) => text);

describe('the explanation of a queue', () => {
  it.each<[string, Partial<QueueDetails>, string]>([
    ['nothing waits', {}, 'No message waits: the queue was empty 1 min ago.'],
    ['its depth was never measured', { depthAt: null }, 'Its depth has not been measured yet.'],
    [
      'messages wait without a drain',
      { depth: 2 },
      '2 messages were waiting 1 min ago and no drain runs: one starts with the next wake, or with Drain now.',
    ],
    [
      'messages are delayed',
      { depth: 2, dueAt: at(-1) },
      'Its earliest delayed message becomes visible at 12:01:00 UTC.',
    ],
    [
      'the circuit is open',
      { paused: { by: 'circuit', reason: '9 of 10 items failed.', since: at(2), probeAt: at(-1) } },
      'Paused by the circuit since 23 Nov, 11:58 UTC (2 min ago). Reason: 9 of 10 items failed. One task tries again at 12:01:00 UTC.',
    ],
    [
      'the circuit is open and no message can be received',
      { paused: { by: 'circuit', reason: '9 of 10 items failed.', since: at(2), ran: 1, failures: 1 } },
      'Paused by the circuit since 23 Nov, 11:58 UTC (2 min ago). Reason: 9 of 10 items failed. One task tries the next message.',
    ],
    [
      'the operator who paused it is unknown',
      { paused: { by: 'operator', reason: '', since: at(2) } },
      'Paused by an operator since 23 Nov, 11:58 UTC (2 min ago). No reason was given. Nothing starts until an operator resumes it.',
    ],
    [
      'its drain does not start',
      { startFailure: { since: at(2), error: 'no task hub' } },
      'Its drain cannot be started, 2 min ago for the first time: no task hub',
    ],
    ['a wave runs', { status: 'draining', active: 1 }, 'A wave runs with 1 planned task.'],
    [
      'a wave has ended',
      { status: 'draining', waves: [WAVE] },
      'The wave that ended at 11:55:00 UTC had 12 tasks for 2,500 messages: throttled responses, slow responses or failures have lowered the number. 24,000 items ended in it.',
    ],
  ])('says so if %s', (_, changes, text) => {
    expect(textsOf(changes)).toContain(text);
  });

  it('names the operator of the latest pause that was not refused', () => {
    const paused = { by: 'operator', reason: 'ledger is down', since: at(2) } as const;
    const refused = { ...PAUSE, by: 'Eve', status: 401 };
    expect(textsOf({ paused }, [refused, PAUSE])[0]).toMatch(/^Paused by Ada since .* Reason: ledger is down\. /);
  });

  it('does not call a paused queue empty', () => {
    expect(textsOf({ paused: { by: 'operator', reason: 'x', since: at(2) } }).join(' ')).not.toMatch(/empty|waits:/i);
  });

  it('includes the limits of the workload', () => {
    const limits = {
      ...{ rateLimit: { calls: 10, perSeconds: 1 }, maxConcurrency: null, holders: 2, heldUntil: at(-2) },
      ...{ lowered: { factor: 0.5, since: at(1) }, waiting: { since: at(3), until: at(-1) } },
    };
    expect(textsOf({ limits }).slice(0, 3)).toEqual([
      'Waits since 11:57:00 UTC for a share of the limits of its workload; tries again at 12:01:00 UTC. 2 processes have one.',
      'The called service allows no call before 12:02:00 UTC.',
      'Runs at 50 % of its rate limit: the called service throttled it. Changed at 11:59:00 UTC.',
    ]);
  });
});
