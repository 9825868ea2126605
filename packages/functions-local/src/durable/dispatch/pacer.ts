/** The result of one poll of a queue. */
export interface PollResult {
  /** Work was taken. */
  found: boolean;
  /** No slot is free after the poll. */
  full: boolean;
  /** When the next work is due, in epoch milliseconds. */
  nextDueAt: number | undefined;
}

/** Decides when a queue is polled. */
export interface Pacer {
  start(): void;
  /** Reports that there may be new work. */
  wake(): void;
  /** A slot became free. */
  freed(): void;
  stop(): void;
}

/** Starts the work that was due at a time (epoch milliseconds). */
export type Poll = (at: number) => PollResult;

/** Creates the pacer of one queue. */
export type PacerFactory = (poll: Poll) => Pacer;
