import { Readable } from 'node:stream';
import { RestError } from '@azure/storage-blob';

/**
 * A streamed answer that fails when its source gives nothing for `gapMs` although somebody reads: a server may fall silent
 * in mid-body, and the time limit of its call has ended with the headers. While nobody reads, no time counts.
 * @param ended is called once the stream is over, read or not
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
  // Nobody may have read yet.
  source.pause();
  return guard;
}

const stalled = (gapMs: number): Error =>
  new RestError(`The answer's body stopped: expected more within ${gapMs} ms, got nothing.`, { code: 'ETIMEDOUT' });
