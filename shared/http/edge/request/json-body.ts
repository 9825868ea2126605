import type { HttpRequest } from '@azure/functions';
import { z } from 'zod';
import { findTooDeep, MAX_ITEM_NESTING } from '../../../contract/text/nesting.ts';
import { Problem } from '../../../errors.ts';
import { requestBody } from './request-body.ts';

/** Bodies of operators are small, unless a route specifies another limit. Keeps a mistaken upload out of memory. */
const MAX_BYTES = 64 * 1024;
/**
 * The deepest value is a patch, in the second level of a body; one level more, so that its own limit is reported. Checked before
 * the schema, which may recurse.
 */
const MAX_NESTING = 2 + MAX_ITEM_NESTING;
/** Faults of a longer list are not reported: one may have a hundred thousand. */
const MAX_FAULTS = 10;

/** Parsed bodies, for code that runs after the handler, such as the audit log. */
const bodiesRead = new WeakMap<HttpRequest, unknown>();

/** Returns the JSON body that the handler of a request has read and accepted; undefined if there is none. */
export const bodyReadOf = (request: HttpRequest): unknown => bodiesRead.get(request);

/**
 * Reads and checks the JSON body of a request. A missing body counts as `{}`. `maxBytes` is 64 KiB by default.
 * @throws Problem 'invalid-parameter' that names each invalid field; 'too-large' beyond `maxBytes`.
 */
export async function jsonBodyOf<T>(
  request: HttpRequest,
  schema: z.ZodType<T>,
  { maxBytes = MAX_BYTES, body = requestBody(request) }: { maxBytes?: number; body?: AsyncIterable<Uint8Array> } = {},
): Promise<T> {
  const value = parseBody(await bodyText(body, maxBytes), schema);
  acceptBody(request, value);
  return value;
}

/** Records the body of a request for `bodyReadOf`. */
export const acceptBody = (request: HttpRequest, body: unknown): void => void bodiesRead.set(request, body);

/**
 * Reads a body as text.
 * @throws Problem 'too-large' beyond `maxBytes`.
 */
export async function bodyText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Problem('too-large', `The body must be at most ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * Parses and checks a body, or a part of it with the name `name`. An empty text counts as `{}`.
 * @throws Problem 'invalid-parameter' that names the first invalid fields.
 */
export function parseBody<T>(
  text: string,
  schema: z.ZodType<T>,
  { name = 'The body', maxNesting = MAX_NESTING }: { name?: string; maxNesting?: number } = {},
): T {
  const parsed = schema.safeParse(parse(text, { name, maxNesting }));
  if (parsed.success) return parsed.data;
  const faults = z.prettifyError(new z.ZodError(parsed.error.issues.slice(0, MAX_FAULTS)));
  throw new Problem('invalid-parameter', `${name} is invalid: ${faults}`);
}

function parse(text: string, { name, maxNesting }: { name: string; maxNesting: number }): unknown {
  if (text.trim() === '') return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw notJson();
  }
  const deep = findTooDeep(text, maxNesting);
  if (deep === undefined) return body;
  throw new Problem(
    'invalid-parameter',
    `${name} must have at most ${maxNesting} levels, an item ${MAX_ITEM_NESTING}; it has more at character ${deep + 1}.`,
  );
}

/** Creates the problem of a body that is not JSON. */
export const notJson = (): Problem => new Problem('invalid-parameter', 'The body is not JSON.');
