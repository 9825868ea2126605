import type { HttpRequest } from '@azure/functions';
import { z } from 'zod';
import { parseExact } from '../../../contract/text/exact-json.ts';
import { findTooDeep, MAX_ITEM_NESTING } from '../../../contract/text/nesting.ts';
import { Problem } from '../../../errors.ts';
import { requestBody } from './request-body.ts';

/** Bodies of operators are small, unless a route specifies another limit. Keeps a mistaken upload out of memory. */
const MAX_BYTES = 64 * 1024;
/**
 * The deepest body is that of a redrive, with a corrected item at its fourth level. Checked before the schema, which recurses.
 */
const MAX_NESTING = 3 + MAX_ITEM_NESTING;

/** Parsed bodies, for code that runs after the handler, such as the audit log. */
const bodiesRead = new WeakMap<HttpRequest, unknown>();

/** Returns the JSON body that the handler of a request has read and accepted; undefined if there is none. */
export const bodyReadOf = (request: HttpRequest): unknown => bodiesRead.get(request);

/**
 * Reads and checks the JSON body of a request. A missing body counts as `{}`.
 * @throws Problem 'invalid-parameter' that names each invalid field; 'too-large' beyond `maxBytes`.
 */
export async function jsonBodyOf<T>(request: HttpRequest, schema: z.ZodType<T>, maxBytes = MAX_BYTES): Promise<T> {
  return (await exactBodyOf(request, schema, maxBytes)).body;
}

/**
 * Like `jsonBodyOf`, with access to the text. Values that are written as JSON again are taken from `exact()`, which keeps all
 * digits of numbers. A schema would refuse such a number, because it is an object.
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
  throw new Problem('invalid-parameter', `The body is invalid: ${z.prettifyError(parsed.error)}`);
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
    `The body must have at most ${MAX_NESTING} levels, an item ${MAX_ITEM_NESTING}; it has more at character ${deep + 1}.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('invalid-parameter', 'The body is not JSON.');
  }
}
