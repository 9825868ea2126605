const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `stop` at the first signal that ends this process. A second signal ends the process immediately with exit code 1,
 * even while `stop` hangs.
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
