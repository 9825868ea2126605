/** Decides when edits are applied: not during a burst of them, and never two at the same time. */
export interface Reloader {
  /** Reports an edit. */
  edited(): void;
  /** Applies pending edits immediately, and resolves when none is left. */
  settled(): Promise<void>;
  /** Ignores later edits, and resolves when the current run has finished. */
  close(): Promise<void>;
}

/** The dependencies of the reloader. */
export interface ReloaderOptions {
  /** Updates the app with all edits so far. It reports its errors itself. */
  apply(): Promise<void>;
  /** Calls back after `ms` milliseconds; the returned function cancels the call. */
  after(ms: number, callback: () => void): () => void;
  /**
   * Milliseconds without an edit before edits are applied, because an editor writes a file in several steps. Defaults
   * to 40.
   */
  quietMs?: number;
}

const QUIET_MS = 40;

/** Creates a reloader. `apply` runs after the first edit, not before. */
export function createReloader({ apply, after, quietMs = QUIET_MS }: ReloaderOptions): Reloader {
  let stopWaiting: (() => void) | undefined;
  let running: Promise<void> | undefined;
  let isClosed = false;
  const run = async (): Promise<void> => {
    while (stopWaiting) {
      stopWaiting();
      stopWaiting = undefined;
      await apply();
    }
  };
  const begin = (): Promise<void> => {
    // Edits in the meantime wait for their quiet time, which starts another run.
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };
  return {
    edited: () => {
      if (isClosed) return;
      stopWaiting?.();
      stopWaiting = after(quietMs, () => void begin());
    },
    settled: async () => {
      while (running || stopWaiting) await begin();
    },
    close: async () => {
      isClosed = true;
      stopWaiting?.();
      stopWaiting = undefined;
      await running;
    },
  };
}
