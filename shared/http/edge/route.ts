/**
 * The type of a route. The OpenAPI document is generated from these values, and a test compares them with the registered
 * functions.
 */
import type { z } from 'zod';
import type { ProblemType } from '../../errors.ts';

/** Who may call a route: holders of a client's key, holders of an operator's key, or anyone. */
export type Audience = 'client' | 'operator' | 'anyone';

/** An optional parameter in the query or a header. Without a schema, it is text. */
export interface RouteParameter {
  in: 'query' | 'header';
  name: string;
  description: string;
  schema?: Record<string, unknown>;
}

/** An answer other than a problem. `content` maps a media type to a schema, or to 'text' for plain text. */
export interface RouteAnswer {
  status: number;
  description: string;
  content: Readonly<Record<string, z.ZodType | 'text'>>;
  /** Headers beyond the usual ones, with their descriptions. */
  headers?: Readonly<Record<string, string>>;
}

/** A route. `route` is the path after `/api/`; its `{…}` are the path parameters. */
export interface Route {
  /** The name of the function. */
  name: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  route: string;
  audience: Audience;
  summary: string;
  /** More than the summary. No default. */
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
export const STATE = { 'sluice-batch-state': 'State of the batch. Until it is finished, the answer is incomplete' };

/** A parameter in the query. */
export const query = (name: string, description: string, schema?: Record<string, unknown>): RouteParameter => ({
  in: 'query',
  name,
  description,
  ...(schema === undefined ? {} : { schema }),
});
/** Schema of a text parameter that may be repeated. */
export const formats = (...names: string[]): RouteParameter =>
  query('format', 'Overrides Accept', { type: 'string', enum: names });
/** Schema of a text that may be repeated. */
export const TEXTS = { type: 'array', items: { type: 'string' } };
/** Schema of a whole number with its default. */
export const whole = (minimum: number, maximum: number, fallback: number) => ({
  ...{ type: 'integer', minimum, maximum },
  default: fallback,
});
