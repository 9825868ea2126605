/** Every HTTP route in one place: what OpenAPI says is made from it, and a test keeps it equal to the registered functions. */
import type { z } from 'zod';
import type { ProblemType } from '../errors.ts';
import { BATCH_WORK_ROUTES } from './batch-work-routes.ts';
import { CLIENT_ROUTES } from './client-routes.ts';
import { OPERATOR_ROUTES } from './operator-routes.ts';
import { PUBLIC_ROUTES } from './public-routes.ts';

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
  parameters?: readonly RouteParameter[];
  /** Media type → schema. */
  body?: Readonly<Record<string, z.ZodType | 'text'>>;
  answers: readonly RouteAnswer[];
  problems: readonly ProblemType[];
}

export const ROUTES: readonly Route[] = [...CLIENT_ROUTES, ...BATCH_WORK_ROUTES, ...OPERATOR_ROUTES, ...PUBLIC_ROUTES];
