import { Readable } from 'node:stream';
import { RestError } from '@azure/storage-blob';

/**
 * Wraps a streamed response and fails if its source sends nothing for `gapMs` while the stream is being read: a server
 * may stop in the middle of a body, and the time limit of the call ends with the headers. Time without a reader does
 * not count.
 * @param ended is called once the stream is closed, read or not
 */
export function guardBody(
  source: NodeJS.ReadableStream,
  { gapMs, ended }: { gapMs: number; ended: () => void },
): Readable {
  let timer: NodeJS.Timeout | undefined;
  const disarm = (): void => clearTimeout(timer);
  const arm = (): void => {
    disarm();
    timer = setTimeout(() => guard.destroy(stalled(gapMs)), gapMs);
  };
  const guard = new Readable({
    read() {
      arm();
      source.resume();
    },
    destroy(error, callback) {
      disarm();
      if (source instanceof Readable) source.destroy();
      ended();
      callback(error);
    },
  });
  source.on('data', (chunk: Buffer) => {
    if (guard.push(chunk)) return arm();
    source.pause();
    disarm();
  });
  source.on('end', () => {
    disarm();
    guard.push(null);
  });
  source.on('error', (error: Error) => guard.destroy(error));
  // The stream may have no reader yet.
  source.pause();
  return guard;
}

const stalled = (gapMs: number): Error =>
  new RestError(`The response body stopped: expected more data within ${gapMs} ms, got none.`, { code: 'ETIMEDOUT' });
