/** The processor was closed before the chunk was done; another process will meet its message again. */
export class ProcessorClosedError extends Error {
  override name = 'ProcessorClosedError';
}

/** No thread can run this chunk here: its file does not load, or does not know the workload. The deployment's fault. */
export class ThreadStartError extends Error {
  override name = 'ThreadStartError';
}
