/** A literal or a parameter in a segment of a route template. */
export type RoutePart = string | RouteParameter;

/** `{name}`, `{name?}`, `{name=default}` or `{*name}`, each with optional constraints. */
export interface RouteParameter {
  name: string;
  catchAll: boolean;
  optional: boolean;
  defaultValue?: string;
  /** Constraints, for example `int` or `range(1,5)`. */
  constraints: string[];
}

/** Splits a route template into segments of literals and parameters. Throws if a brace is not closed. */
export function parseRouteTemplate(template: string): RoutePart[][] {
  const segments: RoutePart[][] = [[]];
  let rest = template.replace(/^\/+|\/+$/g, '');
  while (rest !== '') {
    const piece = takePiece(rest, template);
    rest = rest.slice(piece.length);
    if (piece === '/') segments.push([]);
    else segments.at(-1)?.push(piece.startsWith('{') ? parseParameter(piece.slice(1, -1)) : piece);
  }
  return segments.filter((parts) => parts.length > 0);
}

function takePiece(rest: string, template: string): string {
  if (rest.startsWith('/')) return '/';
  if (!rest.startsWith('{')) return /^[^/{]+/.exec(rest)?.[0] ?? rest;
  // Inside a parameter, a doubled brace represents a single one, for example in a regex quantifier.
  const closed = /^\{(?:\{\{|\}\}|[^{}])*\}/.exec(rest);
  if (!closed) throw new Error(`Route '${template}': expected '}' to close '${rest}'.`);
  return closed[0];
}

function parseParameter(text: string): RouteParameter {
  const [head = '', ...constraints] = splitOutsideParentheses(text.replaceAll('{{', '{').replaceAll('}}', '}'), ':');
  const tail = constraints.pop() ?? head;
  const optional = tail.endsWith('?');
  const [last = '', ...defaults] = splitOutsideParentheses(optional ? tail.slice(0, -1) : tail, '=');
  const inConstraint = text.includes(':') && tail !== head;
  const name = inConstraint ? head : last;
  return {
    name: name.replace(/^\*+/, ''),
    catchAll: name.startsWith('*'),
    optional,
    ...(defaults.length > 0 ? { defaultValue: defaults.join('=') } : {}),
    constraints: inConstraint ? [...constraints, last] : constraints,
  };
}

function splitOutsideParentheses(text: string, separator: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char === separator && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${char}`);
  }
  return parts;
}
