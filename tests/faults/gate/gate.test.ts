import { describe, expect, test } from 'vitest';
import { report } from '../explorer/report.ts';
import { MUTANTS } from './mutants.ts';
import { exploreGate, type Scenario } from './run.ts';

/** Each of these is explored completely, without a bound. */
const SCENARIOS: [string, Scenario][] = [
  ['no fault', { publishers: 3 }],
  ['an instance comes back after 90 s', { publishers: 2, budget: { pause: 1 } }],
  ['one crash, anywhere and of any kind', { publishers: 2, budget: { crash: 1 } }],
  ['two crashes', { publishers: 1, budget: { crash: 2 } }],
  ['a clock jump beyond every limit', { publishers: 2, budget: { jump: 1 } }],
  ['a crash and a clock jump: slow old drains', { publishers: 1, budget: { crash: 1, jump: 1 } }],
  ['two wakers on a dead drain', { publishers: 1, deadDrain: { events: 2 } }],
  ['answers lost after their effect', { publishers: 2, budget: { echo: 2 } }],
  ['a topic that refuses', { publishers: 2, budget: { publish: 2 } }],
  ['a runtime that refuses a sweep twice', { publishers: 1, budget: { runtime: 2, sweep: 1 } }],
  ['an outage that opens the circuit', { publishers: 2, budget: { outage: 1 } }],
  ['a pause that ends by itself', { publishers: 2, pauses: 1 }],
  ['two pauses that end by themselves', { publishers: 1, pauses: 2 }],
  ['a pause that ends by itself, and a crash', { publishers: 1, pauses: 1, budget: { crash: 1 } }],
  ['a deployment that pauses and resumes', { publishers: 1, deployments: 1 }],
  ['a deployment that crashes anywhere', { publishers: 1, deployments: 1, budget: { crash: 1 } }],
  ['a deployment and a pause of an operator', { publishers: 0, pauses: 1, deployments: 1, budget: { crash: 1 } }],
  ['an outage and a crash', { publishers: 1, budget: { outage: 2, crash: 1 } }],
];
/** With SLUICE_FAULTS_DEEP set: an hour or more. The largest are cut off at three million states. */
const DEEP: [string, Scenario][] = [
  ['deep: three wakes of a dead drain', { publishers: 1, deadDrain: { events: 3 } }],
  ['deep: a pause that ends while an instance comes back', { publishers: 1, pauses: 1, budget: { pause: 1 } }],
  ['deep: a deployment and a pause of an operator', { publishers: 1, pauses: 1, deployments: 1 }],
  ['deep: a crash and a clock jump', { publishers: 2, budget: { crash: 1, jump: 1 } }],
  ['deep: three crashes', { publishers: 1, budget: { crash: 3 } }],
  ['deep: two crashes and a clock jump', { publishers: 1, budget: { crash: 2, jump: 1 } }],
  ['deep: lost answers and a crash', { publishers: 2, budget: { echo: 1, crash: 1 } }],
  ['deep: outage, crash and jump', { publishers: 1, budget: { outage: 1, crash: 1, jump: 1 } }],
];
const deep = process.env.SLUICE_FAULTS_DEEP !== undefined;

describe('every interleaving of the gate satisfies its invariants', () => {
  test.each([...SCENARIOS, ...(deep ? DEEP : [])])('%s', async (name, scenario) => {
    const explored = await exploreGate(scenario);

    report('gate', name, explored);
    expect(explored.violation).toBeUndefined();
    expect(explored.complete || name.startsWith('deep')).toBe(true);
  });
});

describe('the checker can fail', () => {
  test.each(MUTANTS)('$name', async ({ parts, scenario, finds, blind }) => {
    const { violation } = await exploreGate(scenario, { parts, ...(blind ? { blind } : {}) });

    expect(violation?.what).toMatch(finds);
  });
});
