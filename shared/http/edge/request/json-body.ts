import type { HttpRequest } from '@azure/functions';
import { z } from 'zod';
import { parseExact } from '../../../contract/text/exact-json.ts';
import { findTooDeep, MAX_ITEM_NESTING } from '../../../contract/text/nesting.ts';
import { Problem } from '../../../errors.ts';
import { requestBody } from './request-body.ts';

/** What operators send is small, unless a route says otherwise; this keeps a mistaken upload out of memory. */
const MAX_BYTES = 64 * 1024;
/** The deepest body is that of a redrive, with a corrected item at its fourth level. Schemas recurse, so they come after. */
const MAX_NESTING = 3 + MAX_ITEM_NESTING;

/** Bodies as they were read, for whoever looks at a request after its handler. */
const bodiesRead = new WeakMap<HttpRequest, unknown>();

/** The JSON body that the handler of a request has read and accepted; undefined when it has not. */
export const bodyReadOf = (request: HttpRequest): unknown => bodiesRead.get(request);

/**
 * The JSON body of a request, checked; no body counts as `{}`.
 * @throws Problem 'invalid-parameter' naming each place that does not fit, 'too-large' beyond `maxBytes`.
 */
export async function jsonBodyOf<T>(request: HttpRequest, schema: z.ZodType<T>, maxBytes = MAX_BYTES): Promise<T> {
  return (await exactBodyOf(request, schema, maxBytes)).body;
}

/**
 * As `jsonBodyOf`, with the text: values that go on as JSON are taken from `exact()`, which keeps the digits of their
 * numbers. A schema would take such a number for an object.
 */
export async function exactBodyOf<T>(
  request: HttpRequest,
  schema: z.ZodType<T>,
  maxBytes = MAX_BYTES,
): Promise<{ body: T; exact: () => unknown }> {
  const text = await textOf(request, maxBytes);
  const parsed = schema.safeParse(parse(text));
  if (parsed.success) {
    bodiesRead.set(request, parsed.data);
    return { body: parsed.data, exact: () => parseExact(text) };
  }
  throw new Problem('invalid-parameter', `The body does not fit: ${z.prettifyError(parsed.error)}`);
}

async function textOf(request: HttpRequest, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of requestBody(request)) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Problem('too-large', `The body must be at most ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): unknown {
  if (text.trim() === '') return {};
  const body = parseJson(text);
  const deep = findTooDeep(text, MAX_NESTING);
  if (deep === undefined) return body;
  throw new Problem(
    'invalid-parameter',
    `The body is nested over ${MAX_NESTING} levels deep, an item over ${MAX_ITEM_NESTING}, at character ${deep + 1}.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('invalid-parameter', 'The body is not JSON.');
  }
}
