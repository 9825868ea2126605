/** One call of a handler, from its start to its end, and the errors that come from it outside of its promise. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isInstance, TimeoutError } from '../../outcome/error-text.ts';

/** A timer this late has waited for a thread that was busy with something else: the call gets that time back. */
const BLOCKED_MS = 100;

/** The call is given up without a verdict, and made again when nothing else is in flight. */
class SetAsideError extends Error {
  override name = 'SetAsideError';
}

/** The chunk ends early: its batch is cancelled, or its instance is being stopped. */
class StoppedError extends Error {
  override name = 'StoppedError';
}

/** The context in which a handler runs: whatever it starts, and whoever that calls back, belongs to this flight. */
const current = new AsyncLocalStorage<Flight>();

/**
 * A call in flight. The AbortController is made only when a handler asks for the signal: it costs more than a light
 * item's whole run.
 */
export class Flight {
  #controller: AbortController | undefined;
  #reason: unknown;
  /** While it is waited for. */
  #wait: { reject: (reason: unknown) => void; peers: ReadonlySet<Flight> } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    return this.#controller.signal;
  }

  /** Whether it was asked to end with its chunk: how it fails after that says nothing about its items. */
  get isStopped(): boolean {
    return isInstance(this.#reason, StoppedError);
  }

  /** Whether its signal is aborted: no further part of it is to begin. */
  get isAborted(): boolean {
    return this.#reason !== undefined;
  }

  /** Whether it failed by being set aside: a handler may keep such an error of another call, and throw it. */
  isSetAside(thrown: unknown): boolean {
    return thrown === this.#reason && isInstance(thrown, SetAsideError);
  }

  /** Runs `fn` in the flight's context. */
  run<Args extends unknown[], T>(fn: (...args: Args) => T, ...args: Args): T {
    return current.run(this, fn, ...args);
  }

  /**
   * Waits for the handler's promise at most `timeoutMs`; then aborts the signal and throws TimeoutError at once, whether
   * the handler reacts or not. What the handler does later is ignored. The time in which the thread was blocked when the
   * limit came does not count, up to `timeoutMs` in all: it was another item's. `peers` holds all flights that are being
   * waited for in this thread.
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

  /** Asks the handler to end; it is waited for anyway. Returns the reason. */
  stop(): unknown {
    this.#abort(new StoppedError('The chunk ends early.'));
    return this.#reason;
  }

  /** Ends the wait at once. */
  giveUp(reason: unknown): void {
    this.#wait?.reject(reason);
    this.#abort(reason);
  }

  /**
   * Takes an error of this flight's context that nobody awaited. The context may be another's (a connection keeps the context in
   * which it was opened, and Node 24 gives that of the rejecting side), so with others in flight it proves nothing: the
   * call is made again alone. False when the flight has ended: nobody is charged.
   */
  takeUnhandled(error: unknown): boolean {
    if (this.#wait === undefined) return false;
    if (this.#wait.peers.size > 1) this.giveUp(new SetAsideError('An error came from outside of its promise.'));
    else this.giveUp(error);
    return true;
  }

  #abort(reason: unknown): void {
    this.#reason ??= reason;
    this.#controller?.abort(reason);
  }
}

/**
 * Takes the errors of this thread that nobody awaited, or that were thrown in a callback, and keeps them from ending it.
 * `onUnhandled` gets each, with whether it belonged to a call in flight. Called once per thread.
 */
export function takeUnhandledErrors(onUnhandled: (error: unknown, wasInFlight: boolean) => void): void {
  const take = (error: unknown): void => onUnhandled(error, current.getStore()?.takeUnhandled(error) ?? false);
  process.on('unhandledRejection', take);
  process.on('uncaughtException', take);
}
