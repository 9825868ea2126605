import type { WaveBound } from '../../gate/wave-record.ts';

/** The limit that determined the number of tasks in a wave, as text that follows "limited by". */
export const BOUND_TEXT: Readonly<Record<WaveBound, string>> = {
  rule: 'the thresholds of the policy',
  work: 'the waiting work and the target seconds of the policy',
  depth: 'the number of waiting messages',
  capacity: 'the capacity of the policy',
  throttling: 'the task limit, lowered by throttling, slow responses or failures',
  limits: 'the limits of the workload',
  saturation: 'busy instances',
  probe: 'the circuit, which allows one task as a probe',
  collector: 'the collector, which uses one task',
};
