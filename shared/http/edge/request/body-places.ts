/** The places of a process for the bodies that it reads at the same time. */
import { Problem } from '../../../errors.ts';
import { createSlots, NoSlotError, type SlotOptions, type Sublimit } from '../../../slots.ts';

const KiB = 1024;

/** Bytes of a body that are read before it takes a place: a client that has sent less holds no more than these. */
const HEAD_BYTES = 64 * KiB;

export interface PlaceLimits {
  /** Maximum number of bodies that are read at the same time. Others wait, with most of their bytes still at the client. */
  bodies: number;
  /**
   * Maximum number of those whose body is still arriving. The other places are for bodies that have arrived: such a place is
   * free again after a time that no client can extend, so slow clients never stop small bodies.
   */
  arriving: number;
  /** Limit of the heads of all bodies without a place. */
  headBytes: number;
  waiting: number;
}

/** The platform's front end cuts a request after 230 s, so the client of work that begins later would get no answer. */
const MAX_WAIT_MS = 100_000;

export interface BodyPlaces {
  /**
   * Runs work on a body when there is a place for it.
   * @throws Problem 'busy' if too many bodies wait, or no place becomes free in time; errors of the body.
   */
  read<T>(body: AsyncIterable<Uint8Array>, work: (body: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>;
}

/** Creates the places of a process. */
export function createBodyPlaces(limits: PlaceLimits): BodyPlaces {
  const slots = createSlots(limits.bodies);
  const arriving: Sublimit = { idle: limits.arriving };
  const heads = { bytes: 0, most: limits.headBytes };
  const begin = async <T>(work: () => Promise<T>, options: SlotOptions): Promise<T> => {
    if (slots.waiting >= limits.waiting)
      throw busy(`${slots.waiting} requests of this kind are waiting in this instance.`);
    try {
      return await slots.run(work, { ...options, maxWaitMs: MAX_WAIT_MS });
    } catch (error) {
      throw error instanceof NoSlotError ? busy('Earlier requests of this kind took too long.', error) : error;
    }
  };
  return {
    async read(body, work) {
      const pieces = body[Symbol.asyncIterator]();
      const head = createHead(pieces, heads);
      try {
        const isWhole = await head.fill();
        return await begin(() => work(head.all()), isWhole ? {} : { sublimit: arriving, signal: head.watch() });
      } finally {
        head.forget();
        // Not awaited: it would wait for bytes that may never arrive.
        pieces.return?.().catch(() => undefined);
      }
    },
  };
}

const busy = (reason: string, cause?: unknown): Problem =>
  new Problem('busy', `${reason} Try again later.`, cause === undefined ? {} : { cause });

/**
 * Creates the beginning of a body, which is read before there is a place for the whole. `heads` counts the bytes of all bodies
 * without a place.
 */
function createHead(pieces: AsyncIterator<Uint8Array>, heads: { bytes: number; most: number }) {
  const read: Uint8Array[] = [];
  let bytes = 0;
  const forget = (): void => {
    heads.bytes -= bytes;
    bytes = 0;
  };
  let ahead: Promise<IteratorResult<Uint8Array>> | undefined;
  return {
    /** Reads it. Returns whether the body ends here. */
    async fill(): Promise<boolean> {
      while (bytes < HEAD_BYTES) {
        const piece = await pieces.next();
        if (piece.done) return true;
        read.push(piece.value);
        bytes += piece.value.length;
        heads.bytes += piece.value.length;
        if (heads.bytes > heads.most) throw busy('Too many bodies are arriving in this instance.');
      }
      return false;
    },
    /** Reads one more piece meanwhile. The signal reports a client that has gone or stalled. */
    watch(): AbortSignal {
      const gone = new AbortController();
      ahead = pieces.next();
      ahead.catch((reason: unknown) => gone.abort(reason));
      return gone.signal;
    },
    /** No longer counts its bytes. May be called several times. */
    forget,
    /** The whole body, once. Its bytes now belong to its place. */
    async *all(): AsyncGenerator<Uint8Array> {
      forget();
      for (let piece = read.shift(); piece; piece = read.shift()) yield piece;
      for (let piece = await (ahead ?? pieces.next()); !piece.done; piece = await pieces.next()) yield piece.value;
    },
  };
}
