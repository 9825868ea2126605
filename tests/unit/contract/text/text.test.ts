import fc from 'fast-check';
import { expect, test } from 'vitest';
import { asciiJson, bytesInXml, storableText } from '../../../../shared/contract/text/text.ts';

/** Arbitrary strings, including lone surrogates, noncharacters and control characters. */
const anyString = fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
/** XML 1.0, production 2, as code points listed by the W3C. */
const isXmlText = (text: string): boolean =>
  [...text].every((character) => {
    const point = character.codePointAt(0) ?? 0;
    if (point < 0x20) return point === 9 || point === 10 || point === 13;
    return point <= 0xd7ff || (point >= 0xe000 && point <= 0xfffd) || point >= 0x10000;
  });

test('any text survives encoding for XML and for headers', () => {
  fc.assert(
    fc.property(anyString, (text) => {
      const sent = asciiJson({ text, [text]: 1 });

      expect(sent).toMatch(/^[ -~]*$/);
      expect(isXmlText(sent)).toBe(true);
      expect(JSON.parse(sent)).toEqual({ text, [text]: 1 });
    }),
  );
});

test('ASCII stays unchanged and readable', () => {
  expect(asciiJson({ a: 'x "y" <z>' })).toBe(JSON.stringify({ a: 'x "y" <z>' }));
});

test('the computed length in XML is never below that of the SDK', () => {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('&', '<', '>', '"', "'", 'a') }), (text) => {
      const sent = text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

      expect(bytesInXml(text)).toBeGreaterThanOrEqual(sent.length);
      expect(bytesInXml(text)).toBeLessThanOrEqual(6 * text.length);
    }),
  );
});

test('text for a column keeps its length and all characters that XML allows', () => {
  fc.assert(
    fc.property(anyString, (text) => {
      const stored = storableText(text);

      expect(isXmlText(stored)).toBe(true);
      expect(stored).toHaveLength(text.length);
      if (isXmlText(text)) expect(stored).toBe(text);
    }),
  );
  expect(storableText('a\u{1f600}\uffff\ud800\u0000\n')).toBe('a\u{1f600}\ufffd\ufffd\ufffd\n');
});
