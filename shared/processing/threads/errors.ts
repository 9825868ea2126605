/** The processor was closed before the chunk was done. Another process will receive its message again. */
export class ProcessorClosedError extends Error {
  override name = 'ProcessorClosedError';
}

/** The process is being stopped or the slice is over, and the chunk has not begun: its reference is returned uncharged. */
export class NotBegunError extends Error {
  override name = 'NotBegunError';
}

/**
 * No thread can run this chunk here: its file does not load, or does not contain the workload. The deployment is the
 * cause, never the chunk, so the circuit of the whole queue opens, with this message as the reason.
 */
export class ThreadStartError extends Error {
  override name = 'ThreadStartError';
}
