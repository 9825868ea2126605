/** One call of a handler, from its start to its end, and the errors that it causes outside of its promise. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isInstance, TimeoutError } from '../../outcome/error-text.ts';

/** If a timer fires this late, the thread was busy with something else, and the call's time limit is extended accordingly. */
const BLOCKED_MS = 100;

/** The call is cancelled without a verdict, and is repeated when no other call is in flight. */
class SetAsideError extends Error {
  override name = 'SetAsideError';
}

/** The chunk ends early: its batch is cancelled, or its instance is being stopped. */
class StoppedError extends Error {
  override name = 'StoppedError';
}

/** The context in which a handler runs: all work that the handler starts, and all callbacks of it, belong to this flight. */
const current = new AsyncLocalStorage<Flight>();

/** A call in flight. Its AbortController is created when the signal is read: it costs more than a light item. */
export class Flight {
  #controller: AbortController | undefined;
  #reason: unknown;
  /** Set while the call is awaited. */
  #wait: { reject: (reason: unknown) => void; peers: ReadonlySet<Flight> } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Whether the call was asked to end with its chunk. A failure after that says nothing about its items. */
  get isStopped(): boolean {
    return isInstance(this.#reason, StoppedError);
  }

  /** Whether its signal is aborted: no further part of the call may begin. */
  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  /** Returns whether the call failed because it was set aside. A handler may keep such an error of another call, and throw it. */
  isSetAside(thrown: unknown): boolean {
    return thrown === this.#reason && isInstance(thrown, SetAsideError);
  }

  run<Args extends unknown[], T>(fn: (...args: Args) => T, ...args: Args): T {
    return current.run(this, fn, ...args);
  }

  /**
   * Waits for the handler's promise for at most `timeoutMs`; then aborts the signal and throws TimeoutError immediately,
   * whether the handler reacts or not. Later results of the handler are ignored. If the thread was blocked when the limit
   * was reached, that time does not count, up to `timeoutMs` in total, because another item used it. `peers` contains all
   * flights that are awaited in this thread.
   */
  async within<T>(work: PromiseLike<T>, { timeoutMs, peers }: { timeoutMs: number; peers: Set<Flight> }): Promise<T> {
    const { promise: given, reject } = Promise.withResolvers<never>();
    this.#wait = { reject, peers };
    peers.add(this);
    let dueMs = performance.now() + timeoutMs;
    const lastMs = dueMs + timeoutMs;
    const check = (): void => {
      const lateMs = performance.now() - dueMs;
      if (lateMs < BLOCKED_MS || dueMs >= lastMs) {
        this.giveUp(new TimeoutError(timeoutMs));
        return;
      }
      dueMs = Math.min(lastMs, dueMs + 2 * lateMs);
      timer = setTimeout(check, Math.max(0, dueMs - performance.now()));
    };
    let timer = setTimeout(check, timeoutMs);
    try {
      return await Promise.race([work, given]);
    } finally {
      clearTimeout(timer);
      this.#wait = undefined;
      peers.delete(this);
    }
  }

  /** Asks the handler to end, and continues to wait for it. Returns the reason. */
  stop(): unknown {
    this.#abort(new StoppedError('The chunk ends early.'));
    return this.#reason;
  }

  giveUp(reason: unknown): void {
    this.#wait?.reject(reason);
    this.#abort(reason);
  }

  /**
   * Handles an error in this flight's context that no code awaited. The context may belong to another call: a connection
   * keeps the context in which it was opened, and Node 24 uses the context of the rejecting side. So if other calls are
   * in flight, the error proves nothing, and this call is repeated alone. Returns false if the flight has ended: no item
   * is charged.
   */
  takeUnhandled(error: unknown): boolean {
    if (this.#wait === undefined) return false;
    if (this.#wait.peers.size > 1)
      this.giveUp(new SetAsideError('An error occurred outside of the promise of this call.'));
    else this.giveUp(error);
    return true;
  }

  #abort(reason: unknown): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }
}

/**
 * Handles the errors of this thread that no code awaited, or that were thrown in a callback, so that they do not end it.
 * `onUnhandled` receives each, and whether it belonged to a call in flight. Called once per thread.
 */
export function takeUnhandledErrors(onUnhandled: (error: unknown, wasInFlight: boolean) => void): void {
  const take = (error: unknown): void => onUnhandled(error, current.getStore()?.takeUnhandled(error) ?? false);
  process.on('unhandledRejection', take);
  process.on('uncaughtException', take);
}
