/** The processor was closed before the chunk was done; another process will meet its message again. */
export class ProcessorClosedError extends Error {
  override name = 'ProcessorClosedError';
}

/** The process is being stopped, and the chunk has not begun: it goes back as it was. */
export class NotBegunError extends Error {
  override name = 'NotBegunError';
}

/**
 * No thread can run this chunk here: its file does not load, or does not know the workload. The deployment's fault, never
 * the chunk's: it opens the circuit of the whole queue, with this message as the reason.
 */
export class ThreadStartError extends Error {
  override name = 'ThreadStartError';
}
