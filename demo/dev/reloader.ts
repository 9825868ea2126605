/** What decides when edits are applied: not in the middle of a burst of them, and never two at a time. */
export interface Reloader {
  /** Something was edited. */
  edited(): void;
  /** Applies at once what is left to apply, and resolves when nothing is. */
  settled(): Promise<void>;
  /** Ignores edits from now on, and resolves when what runs has ended. */
  close(): Promise<void>;
}

/** What the reloader needs from outside. */
export interface ReloaderOptions {
  /** Brings the app up to date with all edits so far. It reports its errors itself. */
  apply(): Promise<void>;
  /** Calls back after `ms` milliseconds; the returned function stops that. */
  after(ms: number, callback: () => void): () => void;
  /** Milliseconds without an edit before the edits are applied: an editor writes a file in several steps. Default 40. */
  quietMs?: number;
}

const QUIET_MS = 40;

/** Makes a reloader; `apply` runs after the first edit, not before. */
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
    // Edits that come meanwhile wait for their quiet time, which ends in another run.
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
