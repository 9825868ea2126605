import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { report } from '../explorer/report.ts';
import { MUTANTS } from './mutants.ts';
import { exploreChunk, type Scenario } from './run.ts';

/** One of three items is a dead letter, and one is retried: the batch halts at half of two. */
const HALT = { deadShare: 0.4, after: 2 };

/**
 * Each of these is explored completely, without a bound. Item 1 becomes a dead letter, item 2 is retried once, item 3
 * twice.
 */
const SCENARIOS: [string, Scenario][] = [
  ['two retries deep, no fault', { items: 4 }],
  ['a process dies at any point', { items: 3, budget: { crash: 1 } }],
  ['two workers with one reference, whose runs end differently', { items: 2, budget: { redeliver: 1, whim: 1 } }],
  [
    'two collectors with one result message',
    { items: 2, limits: { collector: 2, worker: 1 }, budget: { redeliver: 1 } },
  ],
  ['two collectors with two results', { items: 2, starts: 2, limits: { collector: 2, worker: 1 } }],
  ['answers lost after their effect', { items: 3, budget: { echo: 2 } }],
  ['split', { items: 2, starts: 2, limits: { worker: 2 } }],
  ['killed', { items: 1, starts: 2, budget: { crash: 1, redeliver: 1 } }],
  ['cancelled at any point', { items: 3, limits: { worker: 1 }, budget: { cancel: 1, stop: 1 } }],
  ['paused at any point', { items: 1, limits: { worker: 1 }, budget: { pause: 1 } }],
  [
    'cancelled while it is paused',
    { items: 1, limits: { worker: 1, resumer: 0 }, budget: { pause: 1, cancelPaused: 1 } },
  ],
  ['halted', { items: 3, limits: { worker: 1 }, halt: HALT }],
  [
    'halted, and a collector or the resume dies',
    { items: 3, limits: { worker: 1 }, halt: HALT, mortal: ['collector', 'resumer'], budget: { crash: 1 } },
  ],
  ['returned by a process that ends, at any point', { items: 3, budget: { leave: 1 } }],
  ['returned by one of two workers with one reference', { items: 2, budget: { leave: 1, redeliver: 1 } }],
  ['returned because it cannot begin, by workers that may die', { items: 2, budget: { busy: 2, crash: 1 } }],
  [
    'returned because it cannot begin isolated, by one of two workers with one reference',
    { items: 1, starts: 1, budget: { busy: 1, redeliver: 1 } },
  ],
  ['redriven', { items: 2, limits: { worker: 1 }, budget: { redrive: 1 } }],
  ['discarded', { items: 2, limits: { worker: 1 }, budget: { discard: 1 } }],
  ['references put again at any point', { items: 2, budget: { resend: 1 } }],
  ['collected where it ran, two retries deep', { items: 4, collectsHere: true }],
  [
    'collected where it ran, and the process dies',
    { items: 3, collectsHere: true, limits: { worker: 1 }, budget: { crash: 1 } },
  ],
  ['collected where it ran, answers lost', { items: 2, collectsHere: true, budget: { echo: 2 } }],
];
/** With SLUICE_FAULTS_DEEP set: an hour or more. The largest are cut off at three million states. */
const DEEP: [string, Scenario][] = [
  [
    'deep: cancelled, and stopped by one of two workers with one reference',
    { items: 2, budget: { cancel: 1, stop: 1, redeliver: 1 } },
  ],
  [
    'deep: returned, and cancelled at any point',
    { items: 2, limits: { worker: 1 }, budget: { leave: 1, cancel: 1, stop: 1 } },
  ],
  ['deep: a process dies, two retries deep', { items: 4, budget: { crash: 1 } }],
  ['deep: split, and a process dies', { items: 2, starts: 2, limits: { worker: 1 }, budget: { crash: 1 } }],
  ['deep: two processes die', { items: 2, limits: { worker: 1 }, budget: { crash: 2 } }],
  ['deep: two workers, a retry, another whim', { items: 3, budget: { redeliver: 1, whim: 1 } }],
  ['deep: two collectors and a retry', { items: 3, limits: { collector: 2, worker: 1 }, budget: { redeliver: 1 } }],
  ['deep: paused with retries', { items: 3, limits: { worker: 1 }, budget: { pause: 1 } }],
  ['deep: paused, and a process dies', { items: 1, limits: { worker: 1 }, budget: { pause: 1, crash: 1 } }],
  ['deep: paused twice', { items: 1, limits: { worker: 1 }, budget: { pause: 2 } }],
  [
    'deep: cancelled or resumed while it is paused',
    { items: 1, limits: { worker: 1 }, budget: { pause: 1, cancelPaused: 1 } },
  ],
  ['deep: paused, and cancelled at any point', { items: 1, limits: { worker: 1 }, budget: { pause: 1, cancel: 1 } }],
  ['deep: paused, and redriven', { items: 2, limits: { worker: 1 }, budget: { pause: 1, redrive: 1 } }],
  ['deep: halted, and a process dies', { items: 3, limits: { worker: 1 }, halt: HALT, budget: { crash: 1 } }],
  ['deep: paused, and two answers lost', { items: 1, limits: { worker: 1 }, budget: { pause: 1, echo: 2 } }],
  ['deep: cancelled, and a process dies', { items: 1, budget: { cancel: 1, crash: 1 } }],
  ['deep: redriven, and a process dies', { items: 2, limits: { worker: 1 }, budget: { redrive: 1, crash: 1 } }],
  [
    'deep: discarded, and the request dies',
    { items: 2, limits: { worker: 1 }, mortal: ['discarder'], budget: { discard: 1, crash: 1 } },
  ],
  ['deep: redriven and discarded', { items: 2, limits: { worker: 1 }, budget: { redrive: 1, discard: 1 } }],
  ['deep: redriven, then cancelled', { items: 2, limits: { worker: 1 }, budget: { redrive: 1, cancel: 1 } }],
  ['deep: collected where it ran, by two workers', { items: 1, collectsHere: true, budget: { redeliver: 1 } }],
  [
    'deep: collected where it ran, cancelled at any point',
    { items: 2, collectsHere: true, limits: { worker: 1 }, budget: { cancel: 1, stop: 1 } },
  ],
  [
    'deep: collected where it ran, paused at any point',
    { items: 1, collectsHere: true, limits: { worker: 1 }, budget: { pause: 1 } },
  ],
  [
    'deep: collected where it ran, redriven',
    { items: 2, collectsHere: true, limits: { worker: 1 }, budget: { redrive: 1 } },
  ],
];
const deep = process.env.SLUICE_FAULTS_DEEP !== undefined;

// Leases renew themselves by a timer, and here they are abandoned at every point, so none may remain.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

describe('every interleaving of a chunk’s life satisfies the conservation law', () => {
  test.each([...SCENARIOS, ...(deep ? DEEP : [])])('%s', async (name, scenario) => {
    const explored = await exploreChunk(scenario);

    report('chunk', name, explored);
    expect(explored.violation).toBeUndefined();
    expect(explored.complete || name.startsWith('deep')).toBe(true);
  });
});

describe('the checker can fail', () => {
  test.each(MUTANTS)('$name', async ({ change, scenario, finds }) => {
    const { violation } = await exploreChunk(scenario, { change });

    expect(violation?.what).toMatch(finds);
  });
});
