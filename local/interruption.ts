/** Exit code of a command that the user interrupted. */
export const INTERRUPTED = 130;

/** A terminal and npm may each forward the same Ctrl-C. */
const SAME_KEYSTROKE_MS = 1_000;

/** Resolves at the first Ctrl-C. A second one ends the process immediately. */
export function interruption(): Promise<void> {
  return new Promise((resolve) => {
    let first: number | undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        first ??= performance.now();
        if (performance.now() - first > SAME_KEYSTROKE_MS) process.exit(INTERRUPTED);
        resolve();
      });
    }
  });
}
