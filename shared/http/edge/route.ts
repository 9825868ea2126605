/**
 * The type of a route: everything about it in one value. The registration of its function, the OpenAPI document, the typed client,
 * the reference in docs/api and the keys of callers are derived from these values.
 */
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { z } from 'zod';
import type { RuntimeClient } from '../../drain/limited-client.ts';
import type { ProblemType } from '../../errors.ts';
import type { App } from './app.ts';

/** Holders of a key: those of a client system, and those of an operator. */
export type Audience = 'client' | 'operator';

/** An optional parameter in the query or a header. Without a schema, it is text. */
export interface RouteParameter {
  readonly in: 'query' | 'header';
  readonly name: string;
  readonly description: string;
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Media type → schema, or 'text' for anything that is not JSON. */
export type Content = Readonly<Record<string, z.ZodType | 'text'>>;

export interface RouteAnswer {
  readonly status: number;
  readonly description: string;
  readonly content: Content;
  /** Headers beyond the usual ones, with their descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

export interface Answer extends HttpResponseInit {
  /** The pieces of a body that is generated while it is sent; replaces `body`. */
  stream?: AsyncIterable<string>;
}

interface Described {
  /** The name of the function. Keys are stored under it, so it never changes. */
  readonly name: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path after `/api/`; its `{…}` are the path parameters. */
  readonly path: string;
  /** Whose keys open the route. Empty: anyone may call it without a key. */
  readonly audience: readonly Audience[];
  readonly summary: string;
  /** What a caller must know beyond the summary, the parameters and the schemas, as Markdown. No default. */
  readonly description?: string;
  readonly parameters?: readonly RouteParameter[];
  readonly body?: Content;
  readonly example?: unknown;
  readonly answers: readonly RouteAnswer[];
  readonly problems: readonly ProblemType[];
}

/** What a handler does with a request, by the parts of the app that it uses. */
export type Handle<D> = (deps: D, request: HttpRequest) => Promise<Answer>;

type Handler<A extends unknown[]> = (request: HttpRequest, ...more: A) => Answer | Promise<Answer>;

/** `handler` is called once per process. `wakes`: may start drains, so the host provides a client of the durable runtime. */
export type Route = Described &
  (
    | { readonly wakes?: never; readonly handler: (app: App) => Handler<[]> }
    | { readonly wakes: true; readonly handler: (app: App) => Handler<[drains: RuntimeClient]> }
  );

/** Whether a route requires no key. */
export const isOpen = ({ audience }: Pick<Route, 'audience'>): boolean => audience.length === 0;

/** Whether an operator changes something with a route: such calls are recorded in the audit log. */
export const isAction = ({ audience, method }: Pick<Route, 'audience' | 'method'>): boolean =>
  audience.includes('operator') && !audience.includes('client') && method !== 'GET';

export const JSON_TYPE = 'application/json';
export const NDJSON_TYPE = 'application/x-ndjson';

export const jsonAnswer = <S extends z.ZodType>(
  status: number,
  description: string,
  schema: S,
  more: Pick<RouteAnswer, 'headers' | 'example'> = {},
) => ({ status, description, content: { [JSON_TYPE]: schema }, ...more });

/** Header of a page that is not the last. */
export const NEXT = { link: 'rel="next": the next page, if there is one' } as const;
/** Header of an answer that grows until the batch is finished. */
export const STATE = {
  'sluice-batch-state': 'State of the batch. Until it is finished, the answer is incomplete',
} as const;

const TEXT = { type: 'string' } as const;

/** A parameter in the query. Text by default. */
export const query = <const N extends string, const S extends Readonly<Record<string, unknown>> = typeof TEXT>(
  name: N,
  description: string,
  schema: S = TEXT as unknown as S,
) => ({ in: 'query', name, description, schema }) as const;

/** A parameter in a header. Text by default. */
export const header = <const N extends string>(
  name: N,
  description: string,
  schema: Readonly<Record<string, unknown>> = TEXT,
) => ({ in: 'header', name, description, schema }) as const;

/** The header that makes a repetition of a request harmless. `description` says what a repetition returns. */
export const idempotencyKey = (description: string) =>
  header('Idempotency-Key', description, { type: 'string', minLength: 1, maxLength: 255 });

/** The parameter that chooses a format. */
export const formats = <const F extends readonly string[]>(...names: F) =>
  query('format', 'Overrides Accept', { type: 'string', enum: names });
/** Schema of a text that may be repeated. */
export const TEXTS = { type: 'array', items: { type: 'string' } } as const;
/** Schema of a whole number with its default. */
export const whole = (minimum: number, maximum: number, fallback: number) =>
  ({ type: 'integer', minimum, maximum, default: fallback }) as const;
