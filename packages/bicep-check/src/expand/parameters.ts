/** Reads parameter files, and checks parameters. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { evaluate, type Scope } from './evaluate.ts';
import { describe } from './functions.ts';
import { BicepError } from './lexer.ts';
import { memo } from './memo.ts';
import { type Declaration, parseDeclarations } from './parser.ts';
import { isObject, Reference, type Value } from './values.ts';

/** The source folder and environment of a template. */
export interface Options {
  /** Folder that the paths of files are relative to. */
  root: string;
  /** For `readEnvironmentVariable`; defaults to an empty environment. */
  environment?: Readonly<Record<string, string>>;
}

/** Returns the parameters of a parameter file, and its template. */
export function readParameterFile(
  file: string,
  options: Options,
): { template: string; parameters: Record<string, Value> } {
  const { root, environment = {} } = options;
  const declarations = parseDeclarations(file, readFileSync(join(root, file), 'utf8'));
  const template = declarations.find(({ keyword }) => keyword === 'using')?.reference;
  if (template === undefined) throw new BicepError(file, 1, 'expected "using"');
  const place = { folder: dirname(join(root, file)), group: undefined, deployment: '', environment };
  const names = declarations.filter(({ keyword }) => keyword === 'var' || keyword === 'param');
  const lookup = memo((name: string) => {
    const found = names.find((one) => one.name === name)?.value;
    return found === undefined ? undefined : evaluate(found, scope);
  });
  const scope: Scope = { file, place, lookup };
  const given = names.filter(({ keyword }) => keyword === 'param').map(({ name }) => [name, lookup(name)] as const);
  return {
    template: relative(root, join(root, dirname(file), template)),
    parameters: Object.fromEntries(given.map(([name, value]) => [name, value ?? null])),
  };
}

const TYPES: Record<string, (value: Value) => boolean> = {
  string: (value) => typeof value === 'string',
  int: (value) => typeof value === 'number',
  bool: (value) => typeof value === 'boolean',
  object: isObject,
  array: Array.isArray,
};

/** Checks a parameter against its plain type and its decorators. Accepts values that only Azure knows. */
export function checkParameter(one: Declaration, value: Value, scope: Scope): void {
  if (value instanceof Reference) return;
  const refuse = (why: string): never => {
    throw new BicepError(scope.file, one.line, `parameter "${one.name}" ${why}, got ${describe(value)}`);
  };
  const type = one.reference.endsWith('[]') ? 'array' : one.reference;
  if (TYPES[type] !== undefined && !TYPES[type](value)) refuse(`must be of type ${one.reference}`);
  const size = typeof value === 'string' || Array.isArray(value) ? value.length : 0;
  for (const { name, args } of one.decorators) {
    const bound = args[0] === undefined ? null : evaluate(args[0], scope);
    if (name === 'allowed' && !(bound as Value[]).includes(value)) refuse(`must be one of ${describe(bound)}`);
    if (name === 'minLength' && size < Number(bound)) refuse(`must have a length of ${bound} or more`);
    if (name === 'maxLength' && size > Number(bound)) refuse(`must have a length of ${bound} or less`);
    if (name === 'minValue' && Number(value) < Number(bound)) refuse(`must be ${bound} or more`);
    if (name === 'maxValue' && Number(value) > Number(bound)) refuse(`must be ${bound} or less`);
  }
}
