/** What a route is. OpenAPI is made from such values, and a test keeps them equal to the registered functions. */
import type { z } from 'zod';
import type { ProblemType } from '../../errors.ts';

/** Who may call a route: a client system's key, an operator's key, or nobody in particular. */
export type Audience = 'client' | 'operator' | 'anyone';

/** A parameter in the query or a header; all are optional. Without a schema it is text. */
export interface RouteParameter {
  in: 'query' | 'header';
  name: string;
  description: string;
  schema?: Record<string, unknown>;
}

/** One kind of answer that is no problem. `content`: media type → schema, or the JSON Schema type of a text. */
export interface RouteAnswer {
  status: number;
  description: string;
  content: Readonly<Record<string, z.ZodType | 'text'>>;
  /** Headers beside the usual ones, with what they say. */
  headers?: Readonly<Record<string, string>>;
}

/** A route; `route` begins after `/api/`, and its `{…}` are the path parameters. */
export interface Route {
  /** The name of the function. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  route: string;
  audience: Audience;
  summary: string;
  /** What the summary leaves out; default nothing. */
  description?: string;
  parameters?: readonly RouteParameter[];
  /** Media type → schema. */
  body?: Readonly<Record<string, z.ZodType | 'text'>>;
  answers: readonly RouteAnswer[];
  problems: readonly ProblemType[];
}

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPE = 'application/x-ndjson';
/** Header of a page that is not the last. */
export const NEXT = { link: 'rel="next": the next page, if there is one' };
/** Header of an answer that grows until the batch is finished. */
export const STATE = { 'sluice-batch-state': 'State of the batch: until it is finished, the answer is not all' };

/** A parameter in the query. */
export const query = (name: string, description: string, schema?: Record<string, unknown>): RouteParameter => ({
  in: 'query',
  name,
  description,
  ...(schema === undefined ? {} : { schema }),
});
/** The parameter `format`. */
export const formats = (...names: string[]): RouteParameter =>
  query('format', 'Goes before Accept', { type: 'string', enum: names });
/** Schema of a text that may be repeated. */
export const TEXTS = { type: 'array', items: { type: 'string' } };
/** Schema of a whole number with its default. */
export const whole = (minimum: number, maximum: number, fallback: number) => ({
  ...{ type: 'integer', minimum, maximum },
  default: fallback,
});
