import type { DurableFunctionKind, InvokeRequest, RpcValue } from '../types.ts';

/** Runs one function and returns its `returnValue`. Rejects with the function's error, or with WorkerLostError. */
export type Invoke = (request: InvokeRequest) => Promise<RpcValue | undefined>;

/** A process that runs the app's functions: one instance of the app. */
export interface Worker {
  /** Maximum number of functions of each kind that run at the same time. */
  limits: Readonly<Record<DurableFunctionKind, number>>;
  invoke: Invoke;
}

/** The right to run one function on one worker. */
export interface Slot {
  invoke: Invoke;
  release(): void;
}

/** The slots of one kind, of all workers. */
export interface Slots {
  free(): number;
  /** Takes a slot of the worker with the most free slots. The caller must have checked that a slot is free. */
  take(): Slot;
}

type Running = Record<DurableFunctionKind, number>;

/** The workers that receive work. A removed worker finishes what it runs. */
export class WorkerPool {
  #workers: Worker[] = [];
  readonly #running = new WeakMap<Worker, Running>();

  /** Adds a worker, or adds it again. Functions that it still runs occupy its slots. */
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
    // Moved to the end, so that workers with equally many free slots alternate.
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
    // A worker that was declared lost may run more than its limit.
    return Math.max(0, worker.limits[kind] - this.#runningOf(worker)[kind]);
  }

  #runningOf(worker: Worker): Running {
    const running = this.#running.get(worker) ?? { orchestrator: 0, activity: 0 };
    this.#running.set(worker, running);
    return running;
  }
}
