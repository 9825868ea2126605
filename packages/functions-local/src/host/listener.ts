/** What waits for the events of one function and invokes it. */
export interface Listener {
  start(): Promise<void>;
  /** Takes no more events; resolves when what it is running has ended. */
  stop(): Promise<void>;
  /** Runs the function once with a text as its trigger's value, for the admin API. */
  run?(input: string): Promise<unknown>;
}
