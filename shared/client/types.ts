/** The types of requests and answers, derived from the table of routes. The table itself is not loaded. */
import type { z } from 'zod';
import type { Routes } from '../http/routes.ts';

type Entry = Routes[number];
type ByKey = { [R in Entry as `${R['method']} ${R['path']}`]: R };

/** A route by its method and path, such as `POST queues/{queue}/pause`. */
export type RouteKey = keyof ByKey;

type NamesIn<P extends string> = P extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type PathOf<K extends RouteKey> = Record<NamesIn<ByKey[K]['path']>, string | number>;

/** A server of another version may know more values than this list, and explains those that it refuses. */
type OneOf<E> = E | (string & {});
type ValueOf<S> = S extends { type: 'boolean' }
  ? boolean
  : S extends { type: 'integer' }
    ? number | string
    : S extends { type: 'array' }
      ? readonly string[]
      : S extends { enum: readonly (infer E)[] }
        ? OneOf<E>
        : string;
type Parameter<K extends RouteKey> = ByKey[K] extends { parameters: readonly (infer P)[] } ? P : never;
interface InQuery {
  in: 'query';
  name: string;
  schema: unknown;
}
type QueryOf<K extends RouteKey> = {
  [P in Extract<Parameter<K>, InQuery> as P['name']]?: ValueOf<P['schema']> | undefined;
};

type Json<C> = C extends { 'application/json': infer S extends z.ZodType } ? S : never;
/** Text and bytes. */
export type RawBody = NonNullable<RequestInit['body']>;
/** The body of a request: a value that is sent as JSON; or text and bytes, which are sent as they are. */
export type BodyOf<K extends RouteKey> = ByKey[K] extends { body: infer B }
  ? [Json<B>] extends [never]
    ? RawBody
    : z.input<Json<B>> | string
  : undefined;

/** The JSON of an answer. If a route has several, it may be any of them. */
export type AnswerOf<K extends RouteKey> = z.output<Json<ByKey[K]['answers'][number]['content']>>;

type Fields<T> = [keyof T] extends [never] ? undefined : T;
type Nothing = Record<never, never>;
/** A member that may be absent if nothing in it is required. */
type Member<N extends string, T> = [T] extends [undefined]
  ? { [Name in N]?: never }
  : Nothing extends T
    ? { [Name in N]?: T | undefined }
    : { [Name in N]: T };

/** The path and the query of a request. */
export type AddressOf<K extends RouteKey> = Member<'path', Fields<PathOf<K>>> & Member<'query', Fields<QueryOf<K>>>;

/** A request to a route. Names in the path are escaped; parameters that are undefined or false are left out. */
export type RequestTo<K extends RouteKey> = AddressOf<K> &
  Member<'body', BodyOf<K>> & {
    headers?: Readonly<Record<string, string>>;
    signal?: AbortSignal | undefined;
    /** Error statuses that the caller handles as answers. */
    alsoExpected?: readonly number[];
  };

/** The arguments of a call: the request may be absent if nothing in it is required. */
export type Call<K extends RouteKey> =
  Nothing extends RequestTo<K> ? [request?: RequestTo<K>] : [request: RequestTo<K>];
