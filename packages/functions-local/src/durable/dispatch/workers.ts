import type { DurableFunctionKind, InvokeRequest, RpcValue } from '../types.ts';

/** Runs one function and gives its `returnValue`; rejects with what the function threw, or with WorkerLostError. */
export type Invoke = (request: InvokeRequest) => Promise<RpcValue | undefined>;

/** A process that runs the app's functions: one instance of the app. */
export interface Worker {
  /** How many functions of a kind it runs at a time. */
  limits: Readonly<Record<DurableFunctionKind, number>>;
  invoke: Invoke;
}

/** The right to run one function on one worker. */
export interface Slot {
  invoke: Invoke;
  release(): void;
}

/** The slots of one kind, over all workers. */
export interface Slots {
  free(): number;
  /** Takes a slot of the worker that has most free; the caller has seen that one is free. */
  take(): Slot;
}

type Running = Record<DurableFunctionKind, number>;

/** The workers that are given work. One that was removed keeps what it runs. */
export class WorkerPool {
  #workers: Worker[] = [];
  readonly #running = new WeakMap<Worker, Running>();

  /** Adds a worker, or adds it again: what it still runs counts. */
  add(worker: Worker): void {
    this.remove(worker);
    this.#workers.push(worker);
  }

  remove(worker: Worker): void {
    this.#workers = this.#workers.filter((other) => other !== worker);
  }

  slots(kind: DurableFunctionKind): Slots {
    return {
      free: () => this.#workers.reduce((sum, worker) => sum + this.#freeOf(worker, kind), 0),
      take: () => this.#take(kind),
    };
  }

  #take(kind: DurableFunctionKind): Slot {
    const worker = this.#freest(kind);
    if (!worker) throw new Error(`No worker has a free slot for another ${kind}`);
    // To the end: workers that are equally free take turns.
    this.add(worker);
    const running = this.#runningOf(worker);
    running[kind] += 1;
    const release = () => {
      running[kind] -= 1;
    };
    return { invoke: worker.invoke, release };
  }

  #freest(kind: DurableFunctionKind): Worker | undefined {
    let best: Worker | undefined;
    let most = 0;
    for (const worker of this.#workers) {
      const free = this.#freeOf(worker, kind);
      if (free <= most) continue;
      best = worker;
      most = free;
    }
    return best;
  }

  #freeOf(worker: Worker, kind: DurableFunctionKind): number {
    // After a worker was given up for lost, more may run than fits.
    return Math.max(0, worker.limits[kind] - this.#runningOf(worker)[kind]);
  }

  #runningOf(worker: Worker): Running {
    const running = this.#running.get(worker) ?? { orchestrator: 0, activity: 0 };
    this.#running.set(worker, running);
    return running;
  }
}
