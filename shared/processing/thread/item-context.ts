import type { Reference } from '../../contract/reference.ts';
import { type OpenContainer, withCheckedNames } from '../../workload/container.ts';
import type { ItemContext, Workload } from '../../workload/define.ts';
import type { Source } from '../sources.ts';

/** Takes a handler's log line for the item at `position`. */
export type LogSink = (message: string, position: number) => void;

/** An AbortController made only when a handler asks for the signal: it costs more than a light item's whole run. */
export class LazyAbort {
  #controller: AbortController | undefined;
  #reason: Error | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}

/** What contexts are made of beside the item. */
export interface ContextTools {
  log: LogSink;
  /** Absent: handlers have no storage here. */
  container?: OpenContainer;
}

/** Makes the contexts of one chunk's items. */
export const createContexts = (workload: Workload, { batch }: Reference, tools: ContextTools) => {
  const shared = { workload, batch, tools };
  return (source: Source, abort: LazyAbort): ItemContext => new Context(shared, source, abort);
};

interface Shared {
  workload: Workload;
  batch: string;
  tools: ContextTools;
}

/** What few handlers ask for is made when they do: an object with functions of its own costs more than a light item. */
class Context implements ItemContext {
  readonly batch: string;
  readonly position: number;
  readonly attempt: number;
  readonly #shared: Shared;
  readonly #abort: LazyAbort;

  constructor(shared: Shared, { index, attempts }: Source, abort: LazyAbort) {
    this.batch = shared.batch;
    this.position = index;
    this.attempt = attempts.length + 1;
    this.#shared = shared;
    this.#abort = abort;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get log(): ItemContext['log'] {
    return (message) => this.#shared.tools.log(message, this.position);
  }

  get container(): ItemContext['container'] {
    const { workload, tools } = this.#shared;
    return (name) => withCheckedNames(openDeclared(workload, tools.container, name)(name, this.signal));
  }
}

/** Undeclared containers are refused also where they exist: the next deployment would not have them. */
function openDeclared({ name, containers }: Workload, open: OpenContainer | undefined, wanted: string): OpenContainer {
  if (!containers.includes(wanted)) throw new TypeError(`Workload "${name}" does not declare container "${wanted}".`);
  if (open === undefined) throw new TypeError('There is no storage where this handler runs.');
  return open;
}
