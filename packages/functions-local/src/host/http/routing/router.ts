import type { RegisteredFunction } from '../../app/registry.ts';
import { FunctionRefusedError, toError } from '../../errors.ts';
import { compileRoute, type RouteMatcher } from './route-matcher.ts';

export type AuthLevel = 'anonymous' | 'function' | 'admin';

/** The route of an HTTP function. */
export interface HttpRoute {
  fn: RegisteredFunction;
  /** Name of the trigger's binding. */
  triggerName: string;
  methods: string[];
  /** Prefix and route, without a leading slash. */
  template: string;
  authLevel: AuthLevel;
  match: RouteMatcher;
}

/** A route that matches a request, with its values. */
export interface RouteHit {
  route: HttpRoute;
  params: Record<string, string>;
}

/** Reads the httpTrigger of a function. Throws FunctionRefusedError if its route or level is not supported. */
export function createRoute(fn: RegisteredFunction, triggerName: string, routePrefix: string): HttpRoute {
  const { name, bindings } = fn.metadata;
  const binding = bindings[triggerName];
  const own = typeof binding?.route === 'string' ? binding.route : name;
  const template = [routePrefix, own.replace(/^\/+/, '')].filter((part) => part !== '').join('/');
  // The host compares the beginning of the route, without the prefix: `administrators` is refused too.
  if (/^(admin|runtime)/i.test(own.replace(/^\/+/, ''))) {
    throw new FunctionRefusedError('The specified route conflicts with one or more built in routes.');
  }
  return {
    fn,
    triggerName,
    methods: readMethods(binding?.methods),
    template,
    authLevel: readLevel(binding?.authLevel),
    match: compile(template),
  };
}

function compile(template: string): RouteMatcher {
  try {
    return compileRoute(template);
  } catch (error: unknown) {
    throw new FunctionRefusedError(toError(error).message, { cause: error });
  }
}

function readMethods(value: unknown): string[] {
  const methods = Array.isArray(value) ? value.map((method: unknown) => String(method).toUpperCase()) : [];
  return methods.length > 0 ? methods : ['GET', 'POST'];
}

function readLevel(value: unknown): AuthLevel {
  const level = value === undefined ? 'anonymous' : String(value).toLowerCase();
  if (level === 'anonymous' || level === 'function' || level === 'admin') return level;
  throw new FunctionRefusedError(`authLevel: expected anonymous, function or admin, got '${level}'.`);
}

/** Sorts routes as the host does, by function name without case: the first match is used, not the most specific one. */
export function sortRoutes(routes: readonly HttpRoute[]): HttpRoute[] {
  const key = (route: HttpRoute) => route.fn.metadata.name.toUpperCase();
  return [...routes].sort((left, right) => (key(left) < key(right) ? -1 : Number(key(left) > key(right))));
}

/** Returns the first route that matches path and method. */
export function findRoute(sorted: readonly HttpRoute[], method: string, path: string): RouteHit | undefined {
  for (const route of sorted) {
    const params = route.methods.includes(method) ? route.match(path) : undefined;
    if (params) return { route, params };
  }
  return undefined;
}
