/** The drains of a simulation: each runs waves of tasks, which receive chunks in rounds and run them on worker threads. */
import { LIMITS } from '../limits.ts';
import { chunkSeconds, PUBLISH, RECEIVE, SLICE, TARGET, WAVE_CALLS } from '../model.ts';
import {
  callSeconds,
  createLimiter,
  createSignal,
  type Instance,
  type Limiter,
  type Queue,
  type Simulation,
  varied,
} from './simulation.ts';
import type { Process, Signal } from './virtual-time.ts';

interface Wave {
  queue: Queue;
  storage: Limiter;
  quota: number;
  receive: number;
  /** Task seconds, references done and tasks ended. */
  spent: number;
  done: number;
  ended: number;
  over: Signal;
}

/** Drains a queue, wave by wave. */
export function* drain(simulation: Simulation, queue: Queue): Process {
  const { work, deployment, time } = simulation;
  const storage = createLimiter(time, LIMITS.queue.value);
  // As earlier drains have measured it: a task shares the threads with the other tasks of its instance.
  let perReference = (chunkSeconds(work) * (deployment.isWarm ? 1 : deployment.activities)) / deployment.cores;
  while (queue.left > 0) {
    const { left } = queue;
    const tasks = Math.min(deployment.tasksPerQueue, left, Math.max(1, Math.ceil((left * perReference) / TARGET)));
    const quota = Math.ceil(left / tasks);
    const receive = Math.max(1, Math.min(RECEIVE, Math.floor(SLICE / perReference), quota));
    const wave: Wave = { queue, storage, quota, receive, spent: 0, done: 0, ended: 0, over: createSignal() };
    yield* runWave(simulation, wave, tasks);
    if (wave.done > 0) perReference = (perReference + wave.spent / wave.done) / 2;
    simulation.waves += 1;
  }
}

function* runWave(simulation: Simulation, wave: Wave, tasks: number): Process {
  const { time, deployment } = simulation;
  const fanIn = createLimiter(time, LIMITS.fanIn.value);
  simulation.planned += tasks;
  for (let index = 0; index < tasks; index += 1) time.spawn(runTask(simulation, wave, index / LIMITS.fanOut.value));
  while (wave.ended < tasks) yield wave.over;
  simulation.planned -= tasks;
  yield Math.max(fanIn(tasks) - tasks / LIMITS.fanOut.value, 0) + WAVE_CALLS * deployment.latency;
}

/** Waits for an instance. The platform starts as many as the waiting activities need; running ones share them evenly. */
function* place(simulation: Simulation): Generator<Signal, Instance, void> {
  const { deployment, instances } = simulation;
  for (;;) {
    const wanted = deployment.isWarm ? deployment.instances : Math.ceil(simulation.planned / deployment.activities);
    const least = instances.slice(0, wanted).reduce((best, each) => (each.tasks < best.tasks ? each : best));
    if (least.tasks < deployment.activities) return least;
    yield simulation.placeFreed;
  }
}

function* runTask(simulation: Simulation, wave: Wave, startsAfter: number): Process {
  const { time, gates } = simulation;
  yield startsAfter;
  const instance = yield* place(simulation);
  instance.tasks += 1;
  const begun = time.now();
  const endsAt = begun + SLICE;
  let got = 0;
  yield callSeconds(simulation, gates(2));
  while (got < wave.quota && time.now() < endsAt) {
    yield callSeconds(simulation, wave.storage(1), gates(1));
    const count = Math.min(wave.receive, wave.quota - got, wave.queue.visible);
    if (count === 0) break;
    wave.queue.visible -= count;
    got += count;
    yield* runRound(simulation, { wave, instance, endsAt }, count);
  }
  wave.spent += time.now() - begun;
  wave.ended += 1;
  instance.tasks -= 1;
  time.raise(simulation.placeFreed);
  time.raise(wave.over);
}

interface Task {
  wave: Wave;
  instance: Instance;
  endsAt: number;
}

interface Round {
  /** Chunks that no thread has begun. */
  left: number;
  /** Threads at work. */
  running: number;
  /** Chunks ended since the last publication. */
  ended: number;
  publishedAt: number;
  over: Signal;
}

function* runRound(simulation: Simulation, task: Task, count: number): Process {
  const { load, payloads, time, deployment } = simulation;
  const batch = Math.min(load.batches - 1, Math.floor(simulation.received / load.chunksPerBatch));
  yield callSeconds(simulation, payloads[batch]?.(1) ?? 0);
  simulation.received += count;
  const { cores } = deployment;
  const round: Round = { left: count, running: cores + 1, ended: 0, publishedAt: time.now(), over: createSignal() };
  for (let index = 0; index <= cores; index += 1) time.spawn(runChunks(simulation, task, round));
  while (round.running > 0) yield round.over;
  yield* publish(simulation, task, round);
}

function* runChunks(simulation: Simulation, task: Task, round: Round): Process {
  const { work, time } = simulation;
  const { wave, instance, endsAt } = task;
  while (round.left > 0) {
    round.left -= 1;
    if (time.now() >= endsAt) {
      wave.queue.visible += 1;
      continue;
    }
    while (instance.threads === 0) yield instance.threadFreed;
    instance.threads -= 1;
    yield varied(simulation, chunkSeconds(work));
    instance.threads += 1;
    instance.ran += 1;
    time.raise(instance.threadFreed);
    yield callSeconds(simulation);
    round.ended += 1;
    wave.done += 1;
    wave.queue.left -= 1;
    if (time.now() - round.publishedAt > PUBLISH) yield* publish(simulation, task, round);
  }
  round.running -= 1;
  time.raise(round.over);
}

function* publish(simulation: Simulation, { wave }: Task, round: Round): Process {
  const { time, credits, account, deployment, results, resultPut } = simulation;
  const { ended } = round;
  if (ended === 0) return;
  [round.ended, round.publishedAt] = [0, time.now()];
  yield callSeconds(simulation);
  yield credits(2 + deployment.subscriptions) + deployment.latency;
  yield Math.max(account(ended), wave.storage(ended)) + deployment.latency;
  results.push(ended);
  time.raise(resultPut);
}
