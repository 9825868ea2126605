/** The part of XML 1.0 that bodies of the queue and blob service need. */

/** Escapes text for an element. */
export const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Why a document is not valid XML 1.0, and where. Line and position count from 1, in UTF-16 units. */
export interface XmlFault {
  line: number;
  position: number;
  reason: string;
}

/** Char of XML 1.0, section 2.2. Lone surrogates are not included, since UTF-8 cannot encode them. */
const NOT_A_CHAR = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
/** Also matches an ampersand without a reference. */
const REFERENCE = /&(?:(?:#x([0-9a-fA-F]+)|#([0-9]+)|(\w+));)?/g;

/**
 * Reads `<outer><inner>text</inner></outer>` or `<outer><inner/></outer>`, the body of Put and Update Message. Returns the
 * text in its encoded form, or why the document is not valid. Markup inside the text is not valid.
 */
export function readTextElement(document: Buffer, outer: string, inner: string): string | XmlFault {
  const decoded = decodeUtf8(document);
  if (decoded === undefined) return { line: 1, position: 1, reason: 'The document is not valid UTF-8.' };
  const wrong = NOT_A_CHAR.exec(decoded);
  if (wrong) return faultAt(decoded, wrong.index, `The character ${nameOf(wrong[0])} is not valid in XML 1.0.`);
  const before = `^\\s*(?:<\\?xml[^>]*\\?>)?\\s*<${outer}>\\s*<${inner}\\s*`;
  const after = `\\s*</${outer}>\\s*$`;
  if (new RegExp(`${before}/>${after}`).test(decoded)) return '';
  const open = new RegExp(`${before}>`).exec(decoded);
  const close = new RegExp(`</${inner}>${after}`).exec(decoded);
  if (!open || !close) return faultAt(decoded, 0, `Expected the elements ${outer} and ${inner}.`);
  const start = open[0].length;
  const text = decoded.slice(start, close.index);
  const markup = text.indexOf('<');
  if (markup >= 0) return faultAt(decoded, start + markup, `Expected text in ${inner}, got markup.`);
  return referenceFault(decoded, start, text) ?? text;
}

/** Returns an error for the first invalid reference in the text, which starts at `start` of the document. */
function referenceFault(document: string, start: number, text: string): XmlFault | undefined {
  for (const match of text.matchAll(REFERENCE)) {
    const at = start + match.index;
    if (match[0] === '&') return faultAt(document, at, 'Expected & as the start of a reference.');
    const char = charOf(match);
    if (char !== undefined && !NOT_A_CHAR.test(char)) continue;
    return faultAt(document, at, `The reference ${match[0]} is not a character of XML 1.0.`);
  }
  return undefined;
}

function charOf([, hexadecimal, decimal, name = '']: RegExpExecArray): string | undefined {
  if (hexadecimal === undefined && decimal === undefined) return ENTITIES[name];
  const code = hexadecimal === undefined ? Number(decimal) : Number.parseInt(hexadecimal, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

const nameOf = (char: string): string => `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function faultAt(document: string, index: number, reason: string): XmlFault {
  const before = document.slice(0, index).split('\n');
  return { line: before.length, position: (before.at(-1)?.length ?? 0) + 1, reason };
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
