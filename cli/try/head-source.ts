import type { Readable } from 'node:stream';

/** The beginning of an upload, which may be read several times. */
export type OpenHead = () => AsyncIterable<Uint8Array>;

/** A stream cannot be read twice: what has been read of it is kept, which is no more than the longest reading. */
export function headOfStream(stream: Readable): OpenHead {
  const kept: Uint8Array[] = [];
  const rest = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  return async function* () {
    for (let index = 0; ; index++) {
      if (index === kept.length) {
        const next = await rest.next();
        if (next.done) return;
        kept.push(Buffer.from(next.value));
      }
      const piece = kept[index];
      if (piece) yield piece;
    }
  };
}
