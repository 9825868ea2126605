import { toError } from '../errors.ts';
import type { FinishWaveDeps } from '../gate/finish-wave.ts';
import type { VersionedGate } from '../gate/gate-store.ts';
import { type ActivityLimits, recordHeartbeat, showFirstWave, waveSeconds } from '../gate/heartbeat.ts';
import type { TaskWave } from '../gate/planning/plan.ts';
import { log } from '../telemetry/log.ts';
import { measureQueue } from '../telemetry/metrics.ts';

export interface DequeueInput {
  queue: string;
  generation: number;
  task: string;
  wave: TaskWave;
}

export type HeartbeatDeps = ActivityLimits & Pick<FinishWaveDeps, 'gate'>;

/** The task that records the plan of its wave in the gate; `drain-queue` numbers the tasks. */
const FIRST_TASK = 't0';

const aliveSeconds = (deps: ActivityLimits, wave: TaskWave): number => waveSeconds(deps, { ...wave, tasks: 1 });

const sendHeartbeat = (deps: HeartbeatDeps, { queue, task, generation, wave }: DequeueInput): Promise<void> => {
  const until = deps.gate.now() + aliveSeconds(deps, wave) * 1_000;
  return recordHeartbeat(deps.gate.table, { queue, task, generation, until });
};

/** Records the first heartbeat of a task; the first task of a drain also records the plan of its wave. */
export async function showAlive(deps: HeartbeatDeps, input: DequeueInput, gate: VersionedGate): Promise<void> {
  const { queue, task, wave } = input;
  const { tasks: active, wanted, depth } = wave;
  const until = deps.gate.now() + waveSeconds(deps, wave) * 1_000;
  const isShown = task === FIRST_TASK && (await showFirstWave(deps.gate.table, gate, { active, wanted, depth, until }));
  if (isShown) measureQueue(queue, depth, active);
  else await sendHeartbeat(deps, input);
}

/**
 * Renews the heartbeat at half of its time: chunks may run for minutes after the end of their slice. A shorter slice costs
 * no operation. Returns a function that stops it.
 */
export function keepShowingAlive(deps: HeartbeatDeps, input: DequeueInput): () => void {
  const timer = setInterval(() => {
    sendHeartbeat(deps, input).catch((error: unknown) => {
      log.warn('heartbeat-not-recorded', { queue: input.queue, task: input.task, error: toError(error) });
    });
  }, aliveSeconds(deps, input.wave) * 500);
  return () => clearInterval(timer);
}
