import type { Reference } from '../contract/reference.ts';
import type { ItemContext } from '../workload/define.ts';
import type { Source } from './sources.ts';

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

/** Makes the contexts of one chunk's items. */
export const createContexts =
  ({ batch }: Reference, log: LogSink) =>
  (source: Source, abort: LazyAbort): ItemContext => ({
    batch,
    position: source.index,
    attempt: source.attempts.length + 1,
    get signal() {
      return abort.signal;
    },
    log: (message) => log(message, source.index),
  });
