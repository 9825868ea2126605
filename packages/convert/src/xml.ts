import { StringDecoder } from 'node:string_decoder';
import sax from 'sax';

/** Handlers for the parts of a document. Names of elements and attributes have no namespace prefix. */
export interface XmlHandlers {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

function withoutPrefixes(attributes: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  for (const key in attributes)
    if (key.includes(':'))
      return Object.fromEntries(Object.entries(attributes).map(([each, value]) => [localName(each), String(value)]));
  return attributes as Readonly<Record<string, string>>;
}

/**
 * Reads an XML document piece by piece. Yields after each piece, so that the caller can process what the handlers collected.
 * Throws an Error for malformed XML. Does not expand entities that the document declares.
 */
export async function* readXml(source: AsyncIterable<Buffer>, handlers: XmlHandlers): AsyncGenerator<void> {
  const parser = sax.parser(true, { position: false });
  // Attributes are copied only if one has a prefix, because a copy per cell would slow down large sheets.
  parser.onopentag = ({ name, attributes }) => handlers.open?.(localName(name), withoutPrefixes(attributes));
  parser.ontext = (text) => handlers.text?.(text);
  parser.oncdata = (text) => handlers.text?.(text);
  parser.onclosetag = (name) => handlers.close?.(localName(name));
  parser.onerror = (error) => {
    throw error;
  };
  const decoder = new StringDecoder('utf8');
  for await (const piece of source) {
    parser.write(decoder.write(piece));
    yield;
  }
  parser.write(decoder.end()).close();
  yield;
}
