/**
 * Simulates the drains of one workload in virtual time: waves, tasks, rounds, worker threads, the collector and the limits
 * of the services, with latencies from a seeded generator. It uses the steps and the constants of the model but none of
 * its formulas, so that it can contradict the model.
 */
import { LIMITS } from '../limits.ts';
import {
  type Constants,
  type Deployment,
  type Load,
  PUTS_AT_ONCE,
  RECEIVE,
  ROUND_CALLS,
  ROWS,
  type Work,
} from '../model.ts';
import { drain } from './simulated-drain.ts';
import { callSeconds, createLimiter, createSignal, createSimulation, type Simulation } from './simulation.ts';
import type { Process } from './virtual-time.ts';

/** The result of a simulation. */
export interface Simulated {
  /** Until the last report. */
  seconds: number;
  itemsPerSecond: number;
  waves: number;
  /** Instances that ran anything. */
  tookPart: number;
}

/** Runs a load until its last report. */
export function simulate(load: Load, work: Work, deployment: Deployment, constants: Constants, seed = 1): Simulated {
  const simulation = createSimulation(load, work, deployment, constants, seed);
  simulation.time.spawn(begin(simulation));
  simulation.time.run();
  const { endedAt, total, waves, instances } = simulation;
  return {
    seconds: endedAt,
    itemsPerSecond: (total * work.itemsPerChunk) / endedAt,
    waves,
    tookPart: instances.filter(({ ran }) => ran > 0).length,
  };
}

function* begin(simulation: Simulation): Process {
  if (simulation.load.withUpload) yield* upload(simulation);
  for (const queue of simulation.queues) simulation.time.spawn(drain(simulation, queue));
  simulation.time.spawn(collect(simulation));
}

function* upload(simulation: Simulation): Process {
  const { work, constants, time, total } = simulation;
  yield total * work.itemsPerChunk * constants.acceptPerItem + 2 * constants.start;
  const ledger = createLimiter(time, LIMITS.partition.value);
  for (let left = total; left > 0; left -= ROWS) yield callSeconds(simulation, ledger(Math.min(ROWS, left) + 1));
  yield* putReferences(simulation);
}

function* putReferences(simulation: Simulation): Process {
  const { time, total, deployment } = simulation;
  const put = { left: total, running: PUTS_AT_ONCE, over: createSignal() };
  const storage = createLimiter(time, LIMITS.queue.value * deployment.queues);
  const worker = function* (): Process {
    for (; put.left > 0; put.left -= 1) yield callSeconds(simulation, storage(1));
    put.running -= 1;
    time.raise(put.over);
  };
  for (let index = 0; index < PUTS_AT_ONCE; index += 1) time.spawn(worker());
  while (put.running > 0) yield put.over;
}

/** The single collector of the workload: batches end in the order of their chunks. */
function* collect(simulation: Simulation): Process {
  const { load, work, deployment, constants, time, total, results, ledgers } = simulation;
  let collected = 0;
  let batch = 0;
  while (collected < total) {
    if (results.length === 0) {
      yield simulation.resultPut;
      continue;
    }
    yield callSeconds(simulation);
    const chunks = results.splice(0, RECEIVE).reduce((sum, each) => sum + each, 0);
    for (let left = chunks; left > 0; left -= ROWS) {
      yield callSeconds(simulation);
      yield callSeconds(simulation, ledgers[batch]?.(Math.min(ROWS, left) + 1) ?? 0);
    }
    yield chunks * constants.collectPerChunk + callSeconds(simulation);
    collected += chunks;
    while (collected >= (batch + 1) * load.chunksPerBatch) {
      yield load.chunksPerBatch * work.itemsPerChunk * work.mergePerItem + ROUND_CALLS * deployment.latency;
      batch += 1;
    }
  }
  simulation.endedAt = time.now();
}
