import type { Reference } from '../../../contract/reference.ts';
import { type OpenContainer, withCheckedNames } from '../../../workload/container.ts';
import type { ItemContext, Workload } from '../../../workload/define.ts';
import type { Source } from '../../sources.ts';
import type { Flight } from './flight.ts';

/** Receives a handler's log line for the item at `position`. */
export type LogSink = (message: string, position: number) => void;

/** The parts of a context other than the item. */
export interface ContextTools {
  log: LogSink;
  /** If absent, handlers have no storage. */
  container?: OpenContainer;
}

/** Returns a function that creates the contexts of one chunk's items. `deadlineAt` is ISO text. */
export const createContexts = (
  workload: Workload,
  { batch }: Reference,
  { deadlineAt, tools }: { deadlineAt: string; tools: ContextTools },
) => {
  const shared = { workload, batch, deadlineAt, tools };
  return (source: Source, flight: Flight): ItemContext => new Context(shared, source, flight);
};

interface Shared {
  workload: Workload;
  batch: string;
  deadlineAt: string;
  tools: ContextTools;
}

/**
 * Members that few handlers use are created when they are read: an object with functions of its own costs more than a
 * light item.
 */
class Context implements ItemContext {
  readonly batch: string;
  readonly position: number;
  readonly attempt: number;
  readonly shadow = false;
  readonly #shared: Shared;
  readonly #flight: Flight;

  constructor(shared: Shared, { index, attempts }: Source, flight: Flight) {
    this.batch = shared.batch;
    this.position = index;
    this.attempt = attempts.length + 1;
    this.#shared = shared;
    this.#flight = flight;
  }

  get signal(): AbortSignal {
    return this.#flight.signal;
  }

  get idempotencyKey(): string {
    return `${this.batch}-${this.position}`;
  }

  get deadline(): Date {
    return new Date(this.#shared.deadlineAt);
  }

  get log(): ItemContext['log'] {
    return (message) => this.#shared.tools.log(message, this.position);
  }

  get container(): ItemContext['container'] {
    const { workload, tools } = this.#shared;
    return (name) => withCheckedNames(openDeclared(workload, tools.container, name)(name, this.signal));
  }
}

/** Rejects undeclared containers even if they exist: the next deployment would not have them. */
function openDeclared({ name, containers }: Workload, open: OpenContainer | undefined, wanted: string): OpenContainer {
  if (!containers.includes(wanted)) throw new TypeError(`Workload "${name}" does not declare container "${wanted}".`);
  if (open === undefined) throw new TypeError('No storage is available where this handler runs.');
  return open;
}
