/** What the items of the fault tests say, and what has to become of each: decided by the item alone, never by the run. */

/**
 * `reject` dies at once, `invalid` before its handler runs, `once` at the second try comes through, `never` runs out.
 * `waits` comes through, as others do meanwhile. While it waits, `unhandled` leaves a rejection that nobody awaits and `timer`
 * throws in a timer: both run out. `late` leaves a rejection behind when it has ended, and comes through. `exit` ends its
 * thread.
 */
export const ITEM_BEHAVIOURS = [
  ...(['ok', 'once', 'reject', 'invalid', 'never'] as const),
  ...(['waits', 'unhandled', 'timer', 'late', 'exit'] as const),
] as const;
export type ItemBehaviour = (typeof ITEM_BEHAVIOURS)[number];

/** An item; `n` is its position in the batch, and stays with it through everything. */
export interface FaultItem {
  n: number;
  k: string;
  v: number;
  f?: ItemBehaviour | undefined;
  /** Comes back in its errors and its dead letter, and in its result as well-formed text. */
  t?: string | undefined;
}

export interface FaultResult {
  n: number;
  position: number;
  k: string;
  v: number;
  t?: string | undefined;
}

/** What the results of one key fold to. */
export interface FaultTotal {
  count: number;
  sum: number;
}

/** How often the handler may run on an item. */
export const ATTEMPTS = 3;

/** A handler call. `atMs` is when it began, by the machine's monotonic clock. */
export interface CallRecord {
  position: number;
  attempt: number;
  atMs: number;
}

/** Of a handler call as it is noted: two numbers of 32 bits. */
export const CALL_BYTES = 8;
const LIMIT = 2 ** 32;

/** Writes a call to the beginning of `bytes`. The machine has been up for less than 49 days. */
export function writeCall(bytes: Buffer, { position, attempt, atMs }: CallRecord): void {
  bytes.writeUInt32LE(position * (ATTEMPTS + 1) + attempt);
  bytes.writeUInt32LE(atMs % LIMIT, CALL_BYTES / 2);
}

/** Reads the call at `offset`. */
export function readCall(bytes: Buffer, offset: number): CallRecord {
  const number = bytes.readUInt32LE(offset);
  const position = Math.floor(number / (ATTEMPTS + 1));
  return { position, attempt: number % (ATTEMPTS + 1), atMs: bytes.readUInt32LE(offset + CALL_BYTES / 2) };
}

/** The limit of some of the slots: low enough that ten periods of it are less than a run has items. */
export const RATE_LIMIT = { items: 1_000, perSeconds: 1 } as const;
const LIMITED_STRIDE = 4;

/** Whether the workload of a slot has the limit: every fourth. */
export const isLimited = (slot: string): boolean => Number(slot.replace(/\D/g, '')) % LIMITED_STRIDE === 1;

/** The rule of some of the slots: what is dead in most runs is far below it. */
export const HALT = { deadShare: 0.1, after: 4_000 } as const;
const HALTING_STRIDE = 3;

/** Whether the workload of a slot has the rule: two of three, so that some have a limit, too. */
export const isHalting = (slot: string): boolean => Number(slot.replace(/\D/g, '')) % HALTING_STRIDE !== 0;

/** What XML, an HTTP header, a table or a JSON reader refuses or changes, unless it is escaped on the way. */
export const AWKWARD_TEXT = [
  'noncharacters \ufffe \uffff',
  'controls \u0000\u0001\u0008\u000b\u001f\u007f\u0085\u2028\u2029',
  'lone surrogates \udc00 \ud800',
  'markup <a b="c">\'&amp;\\"]]></a>,;\r\n\t ',
].join(' ');

/** Of every other position also long; wherever it is cut, it may be cut within a character. */
export const awkwardText = (n: number): string => AWKWARD_TEXT + '\u{1d11e}'.repeat((n % 2) * 3_000);
