/**
 * The content of the items of the fault tests, and the required outcome of each. The item alone determines it, never
 * the run.
 */

/**
 * `reject` becomes a dead letter at its first attempt, `invalid` before its handler runs; `once` succeeds at its second
 * attempt, and `never` exhausts its attempts. `waits` succeeds, with other items in flight. During their wait,
 * `unhandled` leaves a rejection that no code awaits, and `timer` throws in a timer: both exhaust their attempts.
 * `late` leaves a rejection after its end, and succeeds. `exit` ends its thread. `long` succeeds after seconds.
 */
export const ITEM_BEHAVIOURS = [
  ...(['ok', 'once', 'reject', 'invalid', 'never'] as const),
  ...(['waits', 'unhandled', 'timer', 'late', 'exit', 'long'] as const),
] as const;
export type ItemBehaviour = (typeof ITEM_BEHAVIOURS)[number];

/** An item; `n` is its position in the batch, and never changes. */
export interface FaultItem {
  n: number;
  k: string;
  v: number;
  f?: ItemBehaviour | undefined;
  /** Part of its errors and its dead letter, and of its result as well-formed text. */
  t?: string | undefined;
}

export interface FaultResult {
  n: number;
  position: number;
  k: string;
  v: number;
  t?: string | undefined;
}

/** The folded results of one key. */
export interface FaultTotal {
  count: number;
  sum: number;
}

/** Maximum number of handler calls per item. */
export const ATTEMPTS = 3;

/** A handler call. `atMs` is its start, by the machine's monotonic clock. */
export interface CallRecord {
  position: number;
  attempt: number;
  atMs: number;
}

/** Bytes of a recorded handler call: two numbers of 32 bits. */
export const CALL_BYTES = 8;
const LIMIT = 2 ** 32;

/** Writes a call to the beginning of `bytes`. The machine must have been running for less than 49 days. */
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

/** Time limit of a handler call. */
export const TIMEOUT_SECONDS = 25;

/** Name of the file in the folder of the calls that lets an invocation exceed functionTimeout. */
export const STALL_FILE = 'stall';

/** The limit of some of the slots: low enough that ten of its periods are fewer items than a run has. */
export const RATE_LIMIT = { items: 1_000, perSeconds: 1 } as const;
const LIMITED_STRIDE = 4;

/** Whether the workload of a slot has the limit: every fourth one does. */
export const isLimited = (slot: string): boolean => Number(slot.replace(/\D/g, '')) % LIMITED_STRIDE === 1;

/** The halt rule of some of the slots. Most runs have far fewer dead letters. */
export const HALT = { deadShare: 0.1, after: 4_000 } as const;
const HALTING_STRIDE = 3;

/** Whether the workload of a slot has the halt rule: two of three do, so that some have a limit, too. */
export const isHalting = (slot: string): boolean => Number(slot.replace(/\D/g, '')) % HALTING_STRIDE !== 0;

/** Characters that XML, an HTTP header, a table or a JSON reader refuses or changes unless they are escaped. */
export const AWKWARD_TEXT = [
  'noncharacters \ufffe \uffff',
  'controls \u0000\u0001\u0008\u000b\u001f\u007f\u0085\u2028\u2029',
  'lone surrogates \udc00 \ud800',
  'markup <a b="c">\'&amp;\\"]]></a>,;\r\n\t ',
].join(' ');

/** At every second position, the text is also long; any cut may be within a character. */
export const awkwardText = (n: number): string => AWKWARD_TEXT + '\u{1d11e}'.repeat((n % 2) * 3_000);
