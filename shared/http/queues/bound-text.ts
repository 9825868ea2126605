import type { WaveBound } from '../../wake/gate/wave-record.ts';

/** What has bounded the tasks of a wave, in words that go on after "bounded by". */
export const BOUND_TEXT: Readonly<Record<WaveBound, string>> = {
  rule: 'the thresholds of the policy',
  work: 'the work that waits, with the target seconds of the policy',
  depth: 'the messages that wait',
  capacity: 'the capacity of the policy',
  throttling: 'the task limit, lowered by throttling, slow responses or failures',
  limits: 'the limits of the workload',
  saturation: 'instances that are busy',
  probe: 'the circuit, which lets one task try',
  collector: 'the one task that collects results',
};
