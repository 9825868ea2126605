/** Generates bytes that are valid, nearly valid or invalid JSON, for property tests of the parsers. */
import fc from 'fast-check';
import { MAX_ITEM_NESTING } from '../../../../shared/contract/text/nesting.ts';

const nested = (levels: number): string => `${'['.repeat(levels)}1${']'.repeat(levels)}`;

const TOKENS = [
  ...['{', '}', '[', ']', ',', ':', '"', '\\', ' ', '\t', '\r', '-', '+', '.', 'e', 'E', '0', '1', '9', 'u', '/'],
  ...[
    'true',
    'false',
    'null',
    'tru',
    'nul1',
    'NaN',
    '"a"',
    '"a":',
    '"a":1',
    '"a":1,"a":2',
    '{"a":[1, 2]}',
    '01',
    '1.',
    '.5',
  ],
  ...['-0', '1e5', '1E-7', '1e', '-1.50e+2', '1e999', '9'.repeat(400), '12345678901234567890.10', '"__proto__":1'],
  ...['\\"', '\\n', '\\x', '\\u', '\\u12', '\\u00e9', '\\ud800', '"\\ud83d\\udc22"', '"\\\\"'],
  ...['ż', '"żółw"', '🐢', '"🐢"', '\ufeff', '\u2028', '\u00a0', '\u0000', '\u001f', '\u007f'],
  ...[MAX_ITEM_NESTING - 1, MAX_ITEM_NESTING, MAX_ITEM_NESTING + 1].map(nested),
  '['.repeat(MAX_ITEM_NESTING + 5),
];
/** Invalid or truncated UTF-8. */
const BROKEN = [[0xff], [0x80], [0xc3], [0xf0, 0x9f], [0xed, 0xa0, 0x80], [0xc0, 0xaf]].map((bytes) =>
  Buffer.from(bytes),
);

const value = fc.oneof(
  fc.json(),
  fc.json({ stringUnit: 'binary' }),
  fc.jsonValue().map((any) => JSON.stringify({ any, text: 'żółw 🐢 \\ "' })),
);
const token = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom(...TOKENS).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom(...BROKEN) },
);

/** A few tokens. */
export const soup: fc.Arbitrary<Buffer> = fc.array(token, { maxLength: 8 }).map((parts) => Buffer.concat(parts));

/** One JSON value. */
export const json: fc.Arbitrary<Buffer> = value.map((text) => Buffer.from(text));

/** One JSON value with some unexpected tokens, mostly none. */
export const nearJson: fc.Arbitrary<Buffer> = fc
  .tuple(json, fc.nat(), fc.oneof({ weight: 2, arbitrary: fc.constant(Buffer.alloc(0)) }, soup))
  .map(([bytes, at, wrong]) => {
    const offset = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, offset), wrong, bytes.subarray(offset)]);
  });
