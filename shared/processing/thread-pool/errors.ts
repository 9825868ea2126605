/** The processor was closed before the chunk was done; another process will meet its message again. */
export class ProcessorClosedError extends Error {
  override name = 'ProcessorClosedError';
}

/**
 * No thread can run this chunk here: its file does not load, or does not know the workload. The deployment's fault, never
 * the chunk's: it opens the circuit of the whole queue, with this message as the reason.
 */
export class ThreadStartError extends Error {
  override name = 'ThreadStartError';
}
