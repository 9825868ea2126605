import type { Readable } from 'node:stream';

/** Opens the beginning of an upload; may be called several times. */
export type OpenHead = () => AsyncIterable<Uint8Array>;

/** Makes the beginning of a stream readable several times by keeping the pieces that were read. */
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
