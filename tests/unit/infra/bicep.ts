/** Reads the declarations of the Bicep files without evaluating them; the package bicep-check evaluates them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Declaration, type Expression, type ObjectExpression, parseDeclarations } from 'bicep-check';

export const ROOT = join(import.meta.dirname, '../../..');
const INFRA = join(ROOT, 'infra');

/** The Bicep files of the deployment, as paths in the checkout. */
export const bicepFiles: readonly string[] = readdirSync(INFRA, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.bicep(param)?$/.test(name))
  .map((name) => join('infra', name))
  .sort();

/** Reads a file of the checkout. */
export const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** Returns the declarations of a file with one of the keywords. */
export const declarationsOf = (file: string, ...keywords: Declaration['keyword'][]): Declaration[] =>
  parseDeclarations(file, textOf(file)).filter(({ keyword }) => keywords.includes(keyword));

/** Returns the variable, parameter, resource or module with a name. */
export function declaration(file: string, name: string): Declaration {
  const found = declarationsOf(file, 'var', 'param', 'resource', 'module').find((one) => one.name === name);
  if (found === undefined) throw new Error(`Expected ${file} to declare "${name}".`);
  return found;
}

/** Returns the object of a value, without its loop or condition. */
export function objectOf(value: Expression | undefined): ObjectExpression {
  if (value?.kind === 'object') return value;
  if (value?.kind === 'for' || value?.kind === 'if') return objectOf(value.body);
  throw new Error(`Expected an object, got ${value?.kind ?? 'nothing'}.`);
}

/** Returns the keys and values of an object, without computed keys. */
export const entriesOf = (value: Expression | undefined): [string, Expression][] =>
  objectOf(value).entries.flatMap((entry): [string, Expression][] =>
    'key' in entry && entry.key.kind === 'literal' ? [[String(entry.key.value), entry.value]] : [],
  );

/** Returns the arguments of a module by parameter. */
export const paramsOf = (module: Declaration): [string, Expression][] =>
  entriesOf(entriesOf(module.value).find(([key]) => key === 'params')?.[1]);

/** Yields an expression and all expressions in it. */
export function expressionsIn(value: unknown): Expression[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.values(value).flatMap(expressionsIn);
  return 'kind' in value ? [value as Expression, ...inner] : inner;
}

/** Returns the value of a literal or plain text; undefined for other expressions. */
export function plainValue(value: Expression | undefined): string | number | boolean | null | undefined {
  if (value?.kind === 'literal') return value.value;
  const parts = value?.kind === 'text' ? value.parts : [undefined];
  return parts.every((part) => typeof part === 'string') ? parts.join('') : undefined;
}
