import { PendingBytes } from '../pending-bytes.ts';

const LF = 0x0a;
const QUOTE = 0x22;

/** Cuts pieces of CSV after the last line feed outside of quotes, and holds the rest for the next piece. */
export class CsvCutter {
  readonly #pending = new PendingBytes();
  #inQuotes = false;

  get size(): number {
    return this.#pending.size;
  }

  /** Returns whole rows: the bytes held, and most of `piece`; undefined if no row has ended. */
  push(piece: Buffer): Buffer | undefined {
    const cut = this.#findCut(piece);
    const rows = cut > 0 ? this.#pending.take(piece.subarray(0, cut)) : undefined;
    this.#pending.push(piece.subarray(cut));
    return rows;
  }

  take(): Buffer {
    return this.#pending.take();
  }

  /** Returns the offset after the last line feed outside of quotes, or 0. */
  #findCut(piece: Buffer): number {
    if (!this.#inQuotes && !piece.includes(QUOTE)) return piece.lastIndexOf(LF) + 1;
    let cut = 0;
    let inQuotes = this.#inQuotes;
    for (let offset = 0; offset < piece.length; offset++) {
      const byte = piece[offset];
      if (byte === QUOTE) inQuotes = !inQuotes;
      else if (byte === LF && !inQuotes) cut = offset + 1;
    }
    this.#inQuotes = inQuotes;
    return cut;
  }
}
