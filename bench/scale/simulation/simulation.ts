/** The state of a simulation: the limits of the services, the queues, the instances, and what the processes share. */
import { createRandom } from 'functions-local';
import { LIMITS } from '../limits.ts';
import type { Constants, Deployment, Load, Work } from '../model.ts';
import { createVirtualTime, type Signal, type VirtualTime } from './virtual-time.ts';

/** Returns the wait until a service has served `units` more. */
export type Limiter = (units: number) => number;

/** A queue of the lane. */
export interface Queue {
  /** Chunks that no task has received, and all chunks without a stored outcome. */
  visible: number;
  left: number;
}

/** An instance of the app. */
export interface Instance {
  /** Free worker threads. */
  threads: number;
  tasks: number;
  /** Chunks that it has run. */
  ran: number;
  threadFreed: Signal;
}

/** Everything that the processes of a simulation share. */
export interface Simulation {
  load: Load;
  work: Work;
  deployment: Deployment;
  constants: Constants;
  time: VirtualTime;
  random: () => number;
  /** Chunks of all batches. */
  total: number;
  queues: Queue[];
  instances: Instance[];
  /** An instance can take another task. */
  placeFreed: Signal;
  /** Chunks of each result message, oldest first. */
  results: number[];
  resultPut: Signal;
  waves: number;
  /** Tasks of the running waves. */
  planned: number;
  /** Chunks received so far. */
  received: number;
  endedAt: number;
  gates: Limiter;
  credits: Limiter;
  account: Limiter;
  /** By batch: the partition of its ledger, and the blob of its payload. */
  ledgers: Limiter[];
  payloads: Limiter[];
}

/** Half of the range in which the time of a chunk varies. */
const HALF_WIDTH = 0.05;

/** Creates a signal that no process waits for. */
export const createSignal = (): Signal => ({ waiting: [] });

/** Creates the limiter of a service that serves `rate` units per second, and up to one second's worth immediately. */
export function createLimiter(time: VirtualTime, rate: number): Limiter {
  let full = -1;
  return (units) => {
    full = Math.max(full, time.now() - 1) + units / rate;
    return Math.max(0, full - time.now());
  };
}

/** Creates a simulation at time 0, with the chunks of the load in its queues. */
export function createSimulation(
  load: Load,
  work: Work,
  deployment: Deployment,
  constants: Constants,
  seed: number,
): Simulation {
  const time = createVirtualTime();
  const limiter = (rate: number): Limiter => createLimiter(time, rate);
  const total = load.batches * load.chunksPerBatch;
  return {
    ...{ load, work, deployment, constants, time, total, random: createRandom(seed) },
    queues: Array.from({ length: deployment.queues }, (_, index) => {
      const chunks = Math.floor((total + index) / deployment.queues);
      return { visible: chunks, left: chunks };
    }),
    instances: Array.from({ length: deployment.instances }, () => ({
      ...{ threads: deployment.cores, tasks: 0, ran: 0, threadFreed: createSignal() },
    })),
    ...{ placeFreed: createSignal(), results: [], resultPut: createSignal() },
    ...{ waves: 0, planned: 0, received: 0, endedAt: 0 },
    account: limiter(LIMITS.account.value),
    gates: limiter(LIMITS.partition.value),
    credits: limiter(LIMITS.serviceBus.value),
    ledgers: Array.from({ length: load.batches }, () => limiter(LIMITS.partition.value)),
    payloads: Array.from({ length: load.batches }, () => limiter(LIMITS.blob.value)),
  };
}

/** Returns the time of a storage call: the longest wait for a limit, and a random latency. */
export const callSeconds = ({ account, deployment, random }: Simulation, ...waits: number[]): number =>
  Math.max(account(1), ...waits) + deployment.latency * (0.5 + random());

/** Varies the time of a chunk. */
export const varied = ({ random }: Simulation, seconds: number): number =>
  seconds * (1 - HALF_WIDTH + 2 * HALF_WIDTH * random());
