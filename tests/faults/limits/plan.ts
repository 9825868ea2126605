/** The events of a simulation: a pure function of its seed. */
import { createRandom } from 'functions-local';
import type { ProcessPlan } from './process.ts';

export interface PlanOptions {
  processes: number;
  seconds: number;
  /** Whether processes end, die and freeze; otherwise they only start at other times and have other clocks. */
  harsh: boolean;
}

/** Maximum error of a service clock (service-clock.ts). */
const MAX_OFFSET_MS = 1_000;
const LATEST_START_MS = 15_000;
/** Time after which an ended or dead process is replaced. */
const REPLACED_MS = 5_000;
/** Duration of a freeze, or of a loss of the table. */
const FAULT_MS = { least: 200, most: 40_000 };

/** Plans the processes of a seed. */
export function planOf(seed: number, { processes, seconds, harsh }: PlanOptions): ProcessPlan[] {
  const random = createRandom(seed);
  const within = (least: number, most: number): number => least + random() * (most - least);
  const lengthMs = (): number => FAULT_MS.least * (FAULT_MS.most / FAULT_MS.least) ** random();
  const begin = (id: string, startMs: number): ProcessPlan => ({
    ...{ id, startMs, offsetMs: within(-MAX_OFFSET_MS, MAX_OFFSET_MS) },
    latencyMs: within(20, 300),
  });
  const plans: ProcessPlan[] = [];
  for (let index = 0; index < processes; index += 1) {
    const plan = begin(`process-${index}`, index === 0 ? 0 : within(0, LATEST_START_MS));
    plans.push(plan);
    if (!harsh) continue;
    const chance = random();
    const atMs = within(plan.startMs, seconds * 1_000);
    if (chance < 0.2) plan.endMs = atMs;
    else if (chance < 0.4) plan.diesMs = atMs;
    else if (chance < 0.6) plan.frozen = { atMs, forMs: lengthMs() };
    else if (chance < 0.75) plan.cutOff = { atMs, forMs: lengthMs() };
    if (chance < 0.4) plans.push(begin(`process-${index}-again`, atMs + REPLACED_MS));
  }
  return plans;
}
