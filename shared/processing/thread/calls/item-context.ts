import { type OpenContainer, withCheckedNames } from '../../../workload/container.ts';
import type { ItemContext, Workload } from '../../../workload/define.ts';
import type { Source } from '../../sources.ts';
import { deadlineOf, type ThreadTask } from '../thread-task.ts';
import type { Flight } from './flight.ts';

/** Receives a handler's log line for the item at `position`. */
export type LogSink = (message: string, position: number) => void;

export interface ContextTools {
  log: LogSink;
  /** If absent, handlers have no storage. */
  container?: OpenContainer;
}

interface ContextRun {
  workload: Workload;
  task: ThreadTask;
  tools: ContextTools;
}

/** The context of an item. Rarely used members are created when they are read: functions cost more than an item. */
export class Context implements ItemContext {
  readonly batch: string;
  readonly position: number;
  readonly attempt: number;
  readonly shadow = false;
  readonly #run: ContextRun;
  readonly #flight: Flight;

  constructor(run: ContextRun, { index, attempts }: Source, flight: Flight) {
    this.batch = run.task.reference.batch;
    this.position = index;
    this.attempt = attempts.length + 1;
    this.#run = run;
    this.#flight = flight;
  }

  get signal(): AbortSignal {
    return this.#flight.signal;
  }

  get idempotencyKey(): string {
    return `${this.batch}-${this.position}`;
  }

  get deadline(): Date {
    return new Date(deadlineOf(this.#run.workload, this.#run.task));
  }

  get log(): ItemContext['log'] {
    return (message) => this.#run.tools.log(message, this.position);
  }

  /** Rejects undeclared containers even if they exist: the next deployment would not have them. */
  get container(): ItemContext['container'] {
    const { workload, tools } = this.#run;
    return (name) => {
      if (!workload.containers.includes(name))
        throw new TypeError(`Workload "${workload.name}" does not declare container "${name}".`);
      if (tools.container === undefined) throw new TypeError('No storage is available where this handler runs.');
      return withCheckedNames(tools.container(name, this.signal));
    };
  }
}
