import { StringDecoder } from 'node:string_decoder';
import type { SAXParser } from 'sax';
import { loadPackage } from './load.ts';

/** What is done at each part of a document. Names are without their prefix, and so are the names of attributes. */
export interface XmlHandlers {
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  text?(text: string): void;
  close?(name: string): void;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/**
 * Reads an XML document piece by piece; yields after each piece, so that the caller takes what the handlers have gathered.
 * Throws an Error for malformed XML. Entities that a document declares are not expanded.
 */
export async function* readXml(source: AsyncIterable<Buffer>, handlers: XmlHandlers): AsyncGenerator<void> {
  const { parser: createParser } = await loadPackage('sax', async () => (await import('sax')).default);
  const parser: SAXParser = createParser(true);
  parser.onopentag = ({ name, attributes }) => {
    const named = Object.entries(attributes).map(([key, value]) => [localName(key), String(value)]);
    handlers.open?.(localName(name), Object.fromEntries(named));
  };
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
