/** How text is written where a service refuses some characters: queue messages (XML 1.0) and blob metadata (HTTP headers). */

/** Everything beyond printable ASCII; JSON has escaped the control characters below it already, and lone surrogates. */
const BEYOND_ASCII = /[\u007f-\uffff]/g;

/**
 * JSON with every character beyond ASCII as a `\uXXXX` escape. A parser reads the same value as from plain JSON, lone
 * surrogates included. XML 1.0 forbids U+FFFE and U+FFFF, and the queue service refuses a message that holds one
 * (400 InvalidXmlDocument); a header takes ASCII only. Not base64: a person can read it.
 */
export const asciiJson = (value: object): string =>
  JSON.stringify(value).replaceAll(BEYOND_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const MARKUP = /[&<>"']/g;
/** `&quot;` and `&apos;`, the longest of the five entities that the SDK writes for them. */
const LONGEST_ENTITY = 6;

/** At most so many bytes are sent for `text` (ASCII) in the XML body of a message. */
export const bytesInXml = (text: string): number =>
  text.length + (LONGEST_ENTITY - 1) * (text.match(MARKUP)?.length ?? 0);

/** What XML 1.0 has no character for (W3C, production 2): most control characters, lone surrogates, U+FFFE, U+FFFF. */
const NOT_IN_XML = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/** Text from outside, such as an error's message, with U+FFFD for every character that a service may refuse. */
export const storableText = (text: string): string => text.replaceAll(NOT_IN_XML, '\ufffd');

/** The start of such a text, of at most `max` characters, on one line. */
export const storableLine = (text: string, max: number): string =>
  storableText(text.replaceAll(/\s+/g, ' ').slice(0, max));
