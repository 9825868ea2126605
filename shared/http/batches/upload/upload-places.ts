/** The places of a process for the bodies that it reads at the same time. */
import { Problem } from '../../../errors.ts';
import { createSlots, NoSlotError, type Share, type SlotOptions } from '../../../slots.ts';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Bytes of a body that are read before it takes a place: a client that has sent less holds no more than these. */
const HEAD_BYTES = 64 * KiB;

/** Limits of the uploads of a process. */
export interface PlaceLimits {
  /** Maximum number of uploads that are read at the same time. Others wait, with most of their bodies still at the client. */
  uploads: number;
  /**
   * Maximum number of those whose body is still arriving. The other places are for bodies that have arrived: such a place is
   * free again after a time that no client can extend, so slow clients never stop small uploads.
   */
  arriving: number;
  /** Limit of the heads of all bodies without a place. */
  headBytes: number;
  /** Maximum number of waiting uploads. */
  waiting: number;
  maxWaitMs: number;
}

/**
 * One upload uses up to 30 MiB: the windows of its decoder (brotli 16 MiB, zstd 8), two chunks, two blocks of 4 MiB. Without a
 * limit, 500 concurrent small uploads used 700 MB, which malloc kept in fragments for hours. Flex Consumption sends as many
 * concurrent requests to an instance of 2 GiB. The platform's front end cuts a request after 230 s, so the client of an upload
 * that begins later would get no answer.
 */
const LIMITS: PlaceLimits = {
  ...{ uploads: 16, arriving: 12, waiting: 1_000, maxWaitMs: 100_000 },
  headBytes: 64 * MiB,
};

/** The places of a process for uploads. */
export interface UploadPlaces {
  /**
   * Runs work on a body when there is a place for it.
   * @throws Problem 'busy' if too many bodies wait, or no place becomes free in time; errors of the body.
   */
  read<T>(body: AsyncIterable<Uint8Array>, work: (body: AsyncIterable<Uint8Array>) => Promise<T>): Promise<T>;
}

/** Creates the places of a process. */
export function createUploadPlaces(limits = LIMITS): UploadPlaces {
  const { maxWaitMs } = limits;
  const slots = createSlots(limits.uploads);
  const arriving: Share = { idle: limits.arriving };
  const heads: Heads = { bytes: 0, most: limits.headBytes };
  const begin = async <T>(work: () => Promise<T>, options: SlotOptions): Promise<T> => {
    if (slots.waiting >= limits.waiting) throw busy(`${slots.waiting} uploads are waiting in this instance.`);
    try {
      return await slots.run(work, { ...options, maxWaitMs });
    } catch (error) {
      throw error instanceof NoSlotError ? busy('Earlier uploads took too long.', error) : error;
    }
  };
  return {
    async read(body, work) {
      const pieces = body[Symbol.asyncIterator]();
      const head = createHead(pieces, heads);
      try {
        const isWhole = await head.fill();
        return await begin(() => work(head.all()), isWhole ? {} : { share: arriving, signal: head.watch() });
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

/** What the heads of all bodies without a place use. */
interface Heads {
  bytes: number;
  most: number;
}

/** The beginning of a body, which is read before there is a place for the whole. */
interface Head {
  /** Reads it. Returns whether the body ends here. */
  fill(): Promise<boolean>;
  /** Reads one more piece meanwhile. The signal reports a client that has gone or stalled. */
  watch(): AbortSignal;
  /** No longer counts its bytes. May be called several times. */
  forget(): void;
  /** The whole body, once. Its bytes now belong to its place. */
  all(): AsyncIterable<Uint8Array>;
}

function createHead(pieces: AsyncIterator<Uint8Array>, heads: Heads): Head {
  const read: Uint8Array[] = [];
  let bytes = 0;
  const forget = (): void => {
    heads.bytes -= bytes;
    bytes = 0;
  };
  let ahead: Promise<IteratorResult<Uint8Array>> | undefined;
  return {
    async fill() {
      while (bytes < HEAD_BYTES) {
        const piece = await pieces.next();
        if (piece.done) return true;
        read.push(piece.value);
        bytes += piece.value.length;
        heads.bytes += piece.value.length;
        if (heads.bytes > heads.most) throw busy('Too many uploads are arriving in this instance.');
      }
      return false;
    },
    watch() {
      const gone = new AbortController();
      ahead = pieces.next();
      ahead.catch((reason: unknown) => gone.abort(reason));
      return gone.signal;
    },
    forget,
    async *all() {
      forget();
      for (let piece = read.shift(); piece; piece = read.shift()) yield piece;
      for (let piece = await (ahead ?? pieces.next()); !piece.done; piece = await pieces.next()) yield piece.value;
    },
  };
}
