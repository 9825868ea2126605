import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHARSETS, type Charset } from '../../../../shared/intake/parse/csv-options.ts';
import { decodeText, type TextOptions } from '../../../../shared/intake/parse/decode-text.ts';
import { byteByByte, collectText, cut, offsets, problemOf } from '../uploads.ts';

const encode: Record<Exclude<Charset, 'windows-1252'>, (text: string) => Buffer> = {
  'utf-8': (text) => Buffer.from(text),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
};
const unicode = Object.keys(encode) as (keyof typeof encode)[];
const all: TextOptions = { marks: CHARSETS };

describe('decodeText', () => {
  it('reads a text according to its byte order mark, for any option and any split', async () => {
    const option = fc.constantFrom(undefined, ...CHARSETS);
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom(...unicode),
        option,
        offsets,
        async (text, name, charset, at) => {
          const decoded = decodeText(cut(encode[name](`\ufeff${text}`), at), { ...all, charset });
          expect(await collectText(decoded.pieces)).toBe(text);
          expect([decoded.charset, decoded.markBytes]).toEqual([name, name === 'utf-8' ? 3 : 2]);
        },
      ),
    );
  });

  it.each(unicode)('reads %s without a mark if it is declared', async (charset) => {
    for (const text of ['', 'ż', 'a;żółw 🐢\n'])
      for (const source of [cut, byteByByte]) {
        const decoded = decodeText(source(encode[charset](text)), { ...all, charset });
        expect([await collectText(decoded.pieces), decoded.charset, decoded.markBytes]).toEqual([text, charset, 0]);
      }
  });

  it('reads windows-1252, which is not Latin-1', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    const text = await collectText(decodeText(cut(bytes, [130]), { charset: 'windows-1252' }).pieces);
    expect(text.slice(0x80, 0xa0)).toBe('€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ');
    expect(text.slice(0, 0x80) + text.slice(0xa0)).toBe(bytes.toString('latin1').replaceAll(/[\x80-\x9f]/g, ''));
  });

  it('treats a mark that it does not look for as text', async () => {
    const decoded = decodeText(cut('\ufeffa'), { marks: [] });
    expect([await collectText(decoded.pieces), decoded.markBytes]).toEqual(['\ufeffa', 0]);
  });

  it.each([
    ['a high surrogate alone', Buffer.from('a\nbc\ud83dd', 'utf16le'), 3],
    ['a low surrogate alone', Buffer.from('a\nbc\udc22d', 'utf16le'), 3],
    ['a high surrogate at the end', Buffer.from('a\nbc\ud83d', 'utf16le'), 3],
    ['half of a character at the end', Buffer.concat([Buffer.from('a\nbc', 'utf16le'), Buffer.from('d')]), 3],
  ])('refuses %s in UTF-16, with the position', async (_, bytes, column) => {
    const expected = { type: 'malformed-record', at: { line: 2, column, message: 'Invalid UTF-16.' } };
    for (const source of [cut, byteByByte])
      expect(await problemOf(decodeText(source(bytes), { charset: 'utf-16le' }).pieces)).toMatchObject(expected);
    const later = decodeText(cut(bytes), { charset: 'utf-16le', at: { line: 5, column: 1 } });
    expect(await problemOf(later.pieces)).toMatchObject({ at: { line: 6, column } });
  });
});
