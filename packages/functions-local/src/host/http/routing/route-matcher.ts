import { compileConstraint, type RouteConstraint } from './route-constraints.ts';
import { parseRouteTemplate, type RouteParameter, type RoutePart } from './route-template.ts';

/** Returns a path's decoded route values, or undefined if the path does not match. */
export type RouteMatcher = (path: string) => Record<string, string> | undefined;

interface CompiledParameter extends RouteParameter {
  checks: RouteConstraint[];
}

/** Compiles a route template. Literals are compared without case. Throws for an invalid template or an unknown constraint. */
export function compileRoute(template: string): RouteMatcher {
  const segments = parseRouteTemplate(template);
  const parameters: CompiledParameter[] = segments
    .flat()
    .filter((part) => typeof part !== 'string')
    .map((parameter) => ({ ...parameter, checks: parameter.constraints.map(compileConstraint) }));
  const pattern = new RegExp(`^${segments.map(toPattern).join('')}/?$`, 'i');
  return (path) => {
    const match = pattern.exec(path === '/' ? '' : decode(path));
    return match ? readValues(parameters, match.slice(1)) : undefined;
  };
}

function toPattern(parts: RoutePart[], index: number, segments: RoutePart[][]): string {
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'object') {
    // Only the end of a path can be omitted: a default in the middle does not make its segment optional.
    return segments.slice(index).every(isOmissible) ? toOmissiblePattern(only) : '/([^/]+)';
  }
  return `/${parts.map(toPartPattern).join('')}`;
}

function isOmissible(parts: RoutePart[]): boolean {
  const [only] = parts;
  return (
    parts.length === 1 &&
    typeof only === 'object' &&
    (only.catchAll || only.optional || only.defaultValue !== undefined)
  );
}

function toOmissiblePattern({ catchAll }: RouteParameter): string {
  return catchAll ? '(?:/(.*?))?' : '(?:/([^/]+))?';
}

// In a mixed segment such as `{name}.{ext?}`, the literal before an optional parameter can be omitted together with it.
function toPartPattern(part: RoutePart, index: number, parts: RoutePart[]): string {
  const next = parts[index + 1];
  if (typeof part === 'string') return isOptional(next) ? '' : escapeRegExp(part);
  const before = parts[index - 1];
  if (!part.optional) return '([^/]+?)';
  return typeof before === 'string' ? `(?:${escapeRegExp(before)}([^/]+))?` : '([^/]*)';
}

function isOptional(part: RoutePart | undefined): boolean {
  return typeof part === 'object' && part.optional;
}

function escapeRegExp(literal: string): string {
  return literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

function readValues(
  parameters: readonly CompiledParameter[],
  captured: (string | undefined)[],
): Record<string, string> | undefined {
  const values: Record<string, string> = {};
  for (const [index, parameter] of parameters.entries()) {
    // An omitted catch-all has no value.
    const value = captured[index] || parameter.defaultValue;
    if (value === undefined) continue;
    if (!parameter.checks.every((check) => check(value))) return undefined;
    values[parameter.name] = value;
  }
  return values;
}

/** Decodes a path as the server does: an encoded slash and an invalid percent sign remain as they are. */
function decode(path: string): string {
  return path
    .split(/(%2f|\/)/i)
    .map((text, index) => (index % 2 === 1 ? text : decodeText(text)))
    .join('');
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
