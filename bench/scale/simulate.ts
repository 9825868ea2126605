/**
 * The drains of one workload in virtual time: waves, tasks, rounds, worker threads, the collector and the limits of the
 * services, with latencies drawn by a seeded generator. It knows the steps and the constants of the model and none of its
 * formulas, so that it can contradict it.
 */
import { createRandom } from 'functions-local';
import { LIMITS } from './limits.ts';
import {
  type Constants,
  chunkSeconds,
  type Deployment,
  type Load,
  PUBLISH,
  PUTS_AT_ONCE,
  RECEIVE,
  ROUND_CALLS,
  ROWS,
  SLICE,
  TARGET,
  WAVE_CALLS,
  type Work,
} from './model.ts';
import { createVirtualTime, type Process, type Signal } from './virtual-time.ts';

/** What a simulation comes to. */
export interface Simulated {
  /** Until the last report. */
  seconds: number;
  itemsPerSecond: number;
  waves: number;
  /** Instances that ran anything. */
  tookPart: number;
}

interface Queue {
  /** Chunks that no task has received, and all that no outcome has been stored for. */
  visible: number;
  left: number;
}

interface Instance {
  threads: number;
  tasks: number;
  ran: number;
  freed: Signal;
}

const HALF_WIDTH = 0.05;

/** Runs a load to its end. */
export function simulate(load: Load, work: Work, deployment: Deployment, constants: Constants, seed = 1): Simulated {
  const time = createVirtualTime();
  const random = createRandom(seed);
  const signal = (): Signal => ({ waiting: [] });
  /** Waits until a service that serves `rate` a second, and a second's worth at once, takes `units` more. */
  const limiter = (rate: number) => {
    let full = -1;
    return (units: number): number => {
      full = Math.max(full, time.now() - 1) + units / rate;
      return Math.max(0, full - time.now());
    };
  };
  const { cores, latency, activities, subscriptions } = deployment;
  const account = limiter(LIMITS.account.value);
  const gates = limiter(LIMITS.partition.value);
  const credits = limiter(LIMITS.serviceBus.value);
  const ledgers = Array.from({ length: load.batches }, () => limiter(LIMITS.partition.value));
  const payloads = Array.from({ length: load.batches }, () => limiter(LIMITS.blob.value));
  const call = (...waits: number[]): number => Math.max(account(1), ...waits) + latency * (0.5 + random());

  const total = load.batches * load.chunksPerBatch;
  const queues = Array.from({ length: deployment.queues }, (_, index): Queue => {
    const chunks = Math.floor((total + index) / deployment.queues);
    return { visible: chunks, left: chunks };
  });
  const instances = Array.from(
    { length: deployment.instances },
    (): Instance => ({ threads: cores, tasks: 0, ran: 0, freed: signal() }),
  );
  const placeFreed = signal();
  const results: number[] = [];
  const resultPut = signal();
  let waves = 0;
  /** Tasks of the waves that run. */
  let planned = 0;
  let taken = 0;

  /** The platform starts as many instances as the activities that wait need; those that are up share them evenly. */
  function* place(): Generator<Signal, Instance, void> {
    for (;;) {
      const wanted = deployment.isWarm ? deployment.instances : Math.ceil(planned / activities);
      const least = instances.slice(0, wanted).reduce((best, each) => (each.tasks < best.tasks ? each : best));
      if (least.tasks < activities) return least;
      yield placeFreed;
    }
  }

  function* drain(queue: Queue): Process {
    const storage = limiter(LIMITS.queue.value);
    // As earlier drains have measured it: a task shares the threads with the others of its instance.
    let perReference = (chunkSeconds(work) * (deployment.isWarm ? 1 : activities)) / cores;
    while (queue.left > 0) {
      const { left } = queue;
      const tasks = Math.min(deployment.tasksPerQueue, left, Math.max(1, Math.ceil((left * perReference) / TARGET)));
      const quota = Math.ceil(left / tasks);
      const receive = Math.max(1, Math.min(RECEIVE, Math.floor(SLICE / perReference), quota));
      const wave = { queue, storage, quota, receive, spent: 0, done: 0, ended: 0, over: signal() };
      const fanIn = limiter(LIMITS.fanIn.value);
      planned += tasks;
      for (let index = 0; index < tasks; index += 1) time.spawn(task(wave, index / LIMITS.fanOut.value));
      while (wave.ended < tasks) yield wave.over;
      planned -= tasks;
      yield Math.max(fanIn(tasks) - tasks / LIMITS.fanOut.value, 0) + WAVE_CALLS * latency;
      if (wave.done > 0) perReference = (perReference + wave.spent / wave.done) / 2;
      waves += 1;
    }
  }

  interface Wave {
    queue: Queue;
    storage: (units: number) => number;
    quota: number;
    receive: number;
    /** Task seconds, references done and tasks ended. */
    spent: number;
    done: number;
    ended: number;
    over: Signal;
  }

  function* task(wave: Wave, startsAfter: number): Process {
    yield startsAfter;
    const instance = yield* place();
    instance.tasks += 1;
    const begun = time.now();
    const endsAt = begun + SLICE;
    let got = 0;
    yield call(gates(2));
    while (got < wave.quota && time.now() < endsAt) {
      yield call(wave.storage(1), gates(1));
      const count = Math.min(wave.receive, wave.quota - got, wave.queue.visible);
      if (count === 0) break;
      wave.queue.visible -= count;
      got += count;
      yield* round(wave, instance, { count, endsAt });
    }
    wave.spent += time.now() - begun;
    wave.ended += 1;
    instance.tasks -= 1;
    time.raise(placeFreed);
    time.raise(wave.over);
  }

  function* round(wave: Wave, instance: Instance, { count, endsAt }: { count: number; endsAt: number }): Process {
    yield call(payloads[Math.min(load.batches - 1, Math.floor(taken / load.chunksPerBatch))]?.(1) ?? 0);
    taken += count;
    const state = { left: count, running: cores + 1, ended: 0, publishedAt: time.now(), over: signal() };
    const publish = function* (): Process {
      const ended = state.ended;
      if (ended === 0) return;
      [state.ended, state.publishedAt] = [0, time.now()];
      yield call();
      yield credits(2 + subscriptions) + latency;
      yield Math.max(account(ended), wave.storage(ended)) + latency;
      results.push(ended);
      time.raise(resultPut);
    };
    const worker = function* (): Process {
      while (state.left > 0) {
        state.left -= 1;
        if (time.now() >= endsAt) {
          wave.queue.visible += 1;
          continue;
        }
        while (instance.threads === 0) yield instance.freed;
        instance.threads -= 1;
        yield chunkSeconds(work) * (1 - HALF_WIDTH + 2 * HALF_WIDTH * random());
        instance.threads += 1;
        instance.ran += 1;
        time.raise(instance.freed);
        yield call();
        state.ended += 1;
        wave.done += 1;
        wave.queue.left -= 1;
        if (time.now() - state.publishedAt > PUBLISH) yield* publish();
      }
      state.running -= 1;
      time.raise(state.over);
    };
    for (let index = 0; index <= cores; index += 1) time.spawn(worker());
    while (state.running > 0) yield state.over;
    yield* publish();
  }

  let endedAt = 0;
  /** One for the workload: batches end in the order of their chunks. */
  function* collector(): Process {
    let collected = 0;
    let batch = 0;
    while (collected < total) {
      if (results.length === 0) {
        yield resultPut;
        continue;
      }
      yield call();
      const chunks = results.splice(0, RECEIVE).reduce((sum, each) => sum + each, 0);
      for (let left = chunks; left > 0; left -= ROWS) {
        yield call();
        yield call(ledgers[batch]?.(Math.min(ROWS, left) + 1) ?? 0);
      }
      yield chunks * constants.collectPerChunk + call();
      collected += chunks;
      while (collected >= (batch + 1) * load.chunksPerBatch) {
        yield load.chunksPerBatch * work.itemsPerChunk * work.mergePerItem + ROUND_CALLS * latency;
        batch += 1;
      }
    }
    endedAt = time.now();
  }

  function* putReferences(): Process {
    const put = { left: total, running: PUTS_AT_ONCE, over: signal() };
    const storage = limiter(LIMITS.queue.value * deployment.queues);
    const worker = function* (): Process {
      for (; put.left > 0; put.left -= 1) yield call(storage(1));
      put.running -= 1;
      time.raise(put.over);
    };
    for (let index = 0; index < PUTS_AT_ONCE; index += 1) time.spawn(worker());
    while (put.running > 0) yield put.over;
  }

  function* begin(): Process {
    if (load.withUpload) {
      yield total * work.itemsPerChunk * constants.acceptPerItem + 2 * constants.start;
      const ledger = limiter(LIMITS.partition.value);
      for (let left = total; left > 0; left -= ROWS) yield call(ledger(Math.min(ROWS, left) + 1));
      yield* putReferences();
    }
    for (const queue of queues) time.spawn(drain(queue));
    time.spawn(collector());
  }

  time.spawn(begin());
  time.run();
  return {
    seconds: endedAt,
    itemsPerSecond: (total * work.itemsPerChunk) / endedAt,
    waves,
    tookPart: instances.filter(({ ran }) => ran > 0).length,
  };
}
