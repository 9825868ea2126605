const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `stop` at the first signal that asks this process to end. Any second one ends the process at once with the exit
 * code 1, also while `stop` hangs.
 */
export function onStopSignals(stop: () => void): void {
  let isStopping = false;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop();
    });
  }
}
