/** What the Bicep files declare, as they are written; `expand/` evaluates it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declaration, type Expression, type ObjectExpression, parseDeclarations } from './expand/parser.ts';

export const ROOT = join(import.meta.dirname, '../../..');
const INFRA = join(ROOT, 'infra');

/** Every Bicep file of the deployment, as a path below the checkout. */
export const bicepFiles: readonly string[] = readdirSync(INFRA, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.bicep(param)?$/.test(name))
  .map((name) => join('infra', name))
  .sort();

/** The text of a file below the checkout. */
export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** The declarations of a file with one of the keywords. */
export const declarationsOf = (file: string, ...keywords: Declaration['keyword'][]): Declaration[] =>
  parseDeclarations(file, textOf(file)).filter(({ keyword }) => keywords.includes(keyword));

/** What a file declares under a name: variable, parameter, resource or module. */
export function declaration(file: string, name: string): Declaration {
  const found = declarationsOf(file, 'var', 'param', 'resource', 'module').find((one) => one.name === name);
  if (found === undefined) throw new Error(`Expected ${file} to declare "${name}".`);
  return found;
}

/** The object of a value, whatever loop or condition stands before it. */
export function objectOf(value: Expression | undefined): ObjectExpression {
  if (value?.kind === 'object') return value;
  if (value?.kind === 'for' || value?.kind === 'if') return objectOf(value.body);
  throw new Error(`Expected an object, got ${value?.kind ?? 'nothing'}.`);
}

/** Keys and values of an object, those with computed keys left out. */
export const entriesOf = (value: Expression | undefined): [string, Expression][] =>
  objectOf(value).entries.flatMap((entry): [string, Expression][] =>
    'key' in entry && entry.key.kind === 'literal' ? [[String(entry.key.value), entry.value]] : [],
  );

/** What a module is given, by parameter. */
export const paramsOf = (module: Declaration): [string, Expression][] =>
  entriesOf(entriesOf(module.value).find(([key]) => key === 'params')?.[1]);

/** An expression and all expressions in it. */
export function expressionsIn(value: unknown): Expression[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(expressionsIn);
  return 'kind' in value ? [value as Expression, ...inner] : inner;
}

/** A literal or plain text as its value; undefined for what has to be computed. */
export function plainValue(value: Expression | undefined): string | number | boolean | null | undefined {
  if (value?.kind === 'literal') return value.value;
  const parts = value?.kind === 'text' ? value.parts : [undefined];
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined;
}
