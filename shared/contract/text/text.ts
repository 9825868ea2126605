/** Encodes text for services that refuse some characters: queue messages (XML 1.0) and blob metadata (HTTP headers). */

/** All characters beyond printable ASCII. JSON has already escaped lone surrogates and the control characters below it. */
const BEYOND_ASCII = /[\u007f-\uffff]/g;

/**
 * Writes JSON with every character beyond ASCII as a `\uXXXX` escape. A parser reads the same value as from plain JSON,
 * including lone surrogates. XML 1.0 forbids U+FFFE and U+FFFF, and the queue service refuses a message that contains one (400
 * InvalidXmlDocument); headers accept ASCII only. Base64 was rejected, because it is not readable.
 */
export const asciiJson = (value: object): string =>
  JSON.stringify(value).replaceAll(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const MARKUP = /[&<>"']/g;
/** Length of `&quot;` and `&apos;`, the longest of the five entities that the SDK writes for these characters. */
const LONGEST_ENTITY = 6;

/** Upper bound for the bytes that `text` (ASCII) needs in the XML body of a message. */
export const bytesInXml = (text: string): number =>
  text.length + (LONGEST_ENTITY - 1) * (text.match(MARKUP)?.length ?? 0);

/** Characters that XML 1.0 excludes (W3C, production 2): most control characters, lone surrogates, U+FFFE, U+FFFF. */
const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Replaces every character that a service may refuse with U+FFFD, in text from outside such as an error message. */
export const storableText = (text: string): string => text.replaceAll(NOT_IN_XML, '\ufffd');

/** The beginning of such a text on one line, at most `max` characters. */
export const storableLine = (text: string, max: number): string =>
  storableText(text.replaceAll(/\s+/g, ' ').slice(0, max));
