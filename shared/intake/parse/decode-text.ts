/** Converts the character sets of uploads to UTF-8, while the upload arrives. */
import type { Charset } from './csv-options.ts';
import { advance, malformed, type Position, START } from './position.ts';

/** A text in UTF-8. `markBytes` and `charset` are known after the first piece. */
export interface DecodedText {
  pieces: AsyncGenerator<Buffer>;
  markBytes: number;
  charset: Charset;
}

const MARKS: readonly [Charset, Buffer][] = [
  ['utf-8', Buffer.from('\ufeff')],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
const LONGEST_MARK = 3;

export interface TextOptions {
  /** Default UTF-8. */
  charset?: Charset | undefined;
  /** Byte order marks to look for. Defaults to that of UTF-8. */
  marks?: readonly Charset[];
  /** Where `source` begins in the upload. */
  at?: Position;
}

/**
 * Converts `source` to UTF-8. A source in UTF-8 is not validated here. A byte order mark in `marks` has priority over
 * `charset`: editors and spreadsheets write it, and it is not part of the text.
 * @throws Problem 'malformed-record' for invalid UTF-16.
 */
export function decodeText(
  source: AsyncIterable<Buffer>,
  { charset = 'utf-8', marks = ['utf-8'], at = START }: TextOptions = {},
): DecodedText {
  const text: DecodedText = { pieces: run(), markBytes: 0, charset };
  return text;
  async function* run(): AsyncGenerator<Buffer> {
    let head: Buffer | undefined = Buffer.alloc(0);
    let convert = TO_UTF8[charset](at);
    for await (const piece of source) {
      if (head === undefined) yield convert(piece);
      else {
        head = Buffer.concat([head, piece]);
        if (head.length < LONGEST_MARK) continue;
        convert = begin(head);
        yield convert(head.subarray(text.markBytes));
        head = undefined;
      }
    }
    if (head !== undefined) {
      convert = begin(head);
      yield convert(head.subarray(text.markBytes));
    }
    const rest = convert();
    if (rest.length > 0) yield rest;
  }
  function begin(head: Buffer): Convert {
    const found = MARKS.find(([name, mark]) => marks.includes(name) && head.subarray(0, mark.length).equals(mark));
    if (found) [text.charset, text.markBytes] = [found[0], found[1].length];
    return TO_UTF8[text.charset](at);
  }
}

/** Bytes per UTF-16 unit of a text in each character set; undefined for UTF-8, where it depends on the text. */
export const UNIT_BYTES: Readonly<Record<Charset, number | undefined>> = {
  'utf-8': undefined,
  'windows-1252': 1,
  'utf-16le': 2,
  'utf-16be': 2,
};

/** Converts the next piece; without an argument, converts what remains at the end. */
type Convert = (piece?: Buffer) => Buffer;

const NOTHING = Buffer.alloc(0);
const TO_UTF8: Readonly<Record<Charset, (at: Position) => Convert>> = {
  'utf-8':
    () =>
    (piece = NOTHING) =>
      piece,
  'windows-1252':
    () =>
    (piece = NOTHING) =>
      Buffer.from(fromWindows1252(piece)),
  'utf-16le': (at) => fromUtf16(at, (bytes) => bytes),
  'utf-16be': (at) => fromUtf16(at, (bytes) => Buffer.from(bytes).swap16()),
};

/**
 * The characters 0x80 to 0x9f of windows-1252, from the Encoding Standard. TextDecoder is not used because some versions of
 * Node 23 and 24 read windows-1252 as Latin-1, which has control characters there.
 */
const HIGH = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

const fromWindows1252 = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\x80-\x9f]/g, (sign) => HIGH.charAt(sign.charCodeAt(0) - 0x80));

function fromUtf16(from: Position, toLittleEndian: (bytes: Buffer) => Buffer): Convert {
  let pending = NOTHING;
  let at = from;
  return (piece) => {
    const bytes = piece === undefined ? pending : Buffer.concat([pending, piece]);
    const text = toLittleEndian(bytes.subarray(0, bytes.length & ~1)).toString('utf16le');
    const isCut = piece !== undefined && /[\ud800-\udbff]$/.test(text);
    const whole = isCut ? text.slice(0, -1) : text;
    const isTorn = piece === undefined && bytes.length % 2 === 1;
    if (isTorn || !whole.isWellFormed())
      throw malformed(advance(at, whole.slice(0, firstLone(whole))), 'Invalid UTF-16.');
    pending = bytes.subarray(2 * whole.length);
    at = advance(at, whole);
    return Buffer.from(whole);
  };
}

/** Returns the index of the first unpaired surrogate, or the length if there is none. */
function firstLone(text: string): number {
  const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.exec(text);
  return lone?.index ?? text.length;
}
