/** Waits for the events of one function and invokes it. */
export interface Listener {
  start(): Promise<void>;
  /** Accepts no more events. Resolves when all running invocations are finished. */
  stop(): Promise<void>;
  /** Runs the function once with a text as its trigger's value, for the admin API. */
  run?(input: string): Promise<unknown>;
}
