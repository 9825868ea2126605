/** Evaluates expressions of Bicep. */

import { builtin, describe, type Place, same } from './functions.ts';
import { BicepError } from './lexer.ts';
import type { Expression, ObjectExpression } from './parser.ts';
import {
  asText,
  isObject,
  Lambda,
  ModuleValue,
  type ObjectValue,
  Reference,
  ResourceValue,
  referenceTo,
  type Value,
} from './values.ts';

/** The values of names, and the file of the scope. */
export interface Scope {
  file: string;
  place: Place;
  /** Returns the value of a name; undefined if it is not declared. */
  lookup: (name: string) => Value | undefined;
}

/** Creates a scope with additional names, which hide those of the outer scope. */
export const withNames = (scope: Scope, names: Readonly<Record<string, Value>>): Scope => ({
  ...scope,
  lookup: (name) => (Object.hasOwn(names, name) ? names[name] : scope.lookup(name)),
});

/**
 * Evaluates an expression.
 * @throws BicepError with file and line for an unknown name, function or property, or a value of the wrong type.
 */
export function evaluate(expression: Expression, scope: Scope): Value {
  try {
    return compute(expression, scope);
  } catch (error) {
    if (error instanceof BicepError) throw error;
    throw new BicepError(scope.file, expression.line, error instanceof Error ? error.message : String(error));
  }
}

/** Whether a condition is true. */
export function holds(expression: Expression, scope: Scope): boolean {
  const value = evaluate(expression, scope);
  if (typeof value === 'boolean') return value;
  throw new BicepError(scope.file, expression.line, `expected true or false, got ${describe(value)}`);
}

/** Returns the scopes of a loop, one per item. */
export function iterations(loop: Expression & { kind: 'for' }, scope: Scope): Scope[] {
  const list = evaluate(loop.list, scope);
  if (!Array.isArray(list)) {
    throw new BicepError(scope.file, loop.line, `expected an array to loop over, got ${describe(list)}`);
  }
  return list.map((item, index) =>
    withNames(scope, { [loop.item]: item, ...(loop.index === undefined ? {} : { [loop.index]: index }) }),
  );
}

/** Returns the entries of an object in order, with spread objects expanded. */
export function entriesOf(expression: ObjectExpression, scope: Scope): [string, () => Value][] {
  return expression.entries.flatMap((entry): [string, () => Value][] => {
    if ('key' in entry) return [[asText(evaluate(entry.key, scope)), () => evaluate(entry.value, scope)]];
    const spread = evaluate(entry.spread, scope);
    if (isObject(spread)) return Object.entries(spread).map(([key, value]) => [key, () => value]);
    throw new BicepError(scope.file, entry.spread.line, `expected an object, got ${describe(spread)}`);
  });
}

function compute(expression: Expression, scope: Scope): Value {
  const value = (one: Expression): Value => evaluate(one, scope);
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'text':
      return expression.parts.map((part) => (typeof part === 'string' ? part : asText(value(part)))).join('');
    case 'name': {
      const found = scope.lookup(expression.name);
      if (found === undefined) throw new Error(`"${expression.name}" is not declared`);
      return found;
    }
    case 'array':
      return expression.items.flatMap((item) => (item.spread ? spreadItems(value(item.value)) : [value(item.value)]));
    case 'object':
      return Object.fromEntries(entriesOf(expression, scope).map(([key, entry]) => [key, entry()]));
    case 'for':
      return iterations(expression, scope).flatMap((one) => {
        const { body } = expression;
        if (body.kind !== 'if') return [evaluate(body, one)];
        return holds(body.condition, one) ? [evaluate(body.body, one)] : [];
      });
    case 'if':
      throw new Error('a condition is for resources, modules and loops');
    case 'member':
      return member(value(expression.object), expression.name, expression.safe);
    case 'index':
      return item(value(expression.object), value(expression.index), expression.safe);
    case 'nested': {
      const parent = value(expression.object);
      if (parent instanceof ResourceValue) return parent.child(expression.name);
      throw new Error(`expected a resource before "::", got ${describe(parent)}`);
    }
    case 'call':
      return call(expression, scope);
    case 'unary':
      return unary(expression.operator, value(expression.operand));
    case 'binary':
      return binary(expression.operator, value(expression.left), () => value(expression.right));
    case 'ternary':
      return value(holds(expression.condition, scope) ? expression.yes : expression.no);
    case 'lambda':
      return new Lambda((args) =>
        evaluate(
          expression.body,
          withNames(scope, Object.fromEntries(expression.names.map((name, index) => [name, args[index] ?? null]))),
        ),
      );
  }
}

function spreadItems(value: Value): Value[] {
  if (Array.isArray(value)) return value;
  throw new Error(`expected an array, got ${describe(value)}`);
}

/** Returns a property of a value. Properties of a resource that the file does not contain are known only to Azure. */
function member(object: Value, name: string, safe: boolean): Value {
  if (object instanceof ResourceValue) return resourceMember(object, name);
  if (object instanceof ModuleValue) {
    if (name === 'name') return object.name;
    if (name !== 'outputs') throw new Error(`a module has no "${name}"`);
    if (object.outputs === undefined) throw new Error(`module "${object.name}" is not deployed with these parameters`);
    return object.outputs();
  }
  if (object instanceof Reference) return new Reference(`${object.text}.${name}`);
  if (safe && object === null) return null;
  if (!isObject(object)) throw new Error(`${describe(object)} has no property "${name}"`);
  const found = object[name];
  if (found !== undefined) return found;
  if (safe) return null;
  throw new Error(`no property "${name}", only ${Object.keys(object).join(', ') || 'none at all'}`);
}

function resourceMember(resource: ResourceValue, name: string): Value {
  const { type, apiVersion, name: own, fullName, deployed } = resource.fields();
  if (name === 'name') return own;
  if (name === 'type') return type;
  if (name === 'apiVersion') return apiVersion;
  // The id can be computed from the names; everything else is read from Azure.
  if (!deployed && name !== 'id') throw new Error(`${type} ${fullName} is not deployed with these parameters`);
  return new Reference(`${referenceTo(resource)}.${name}`);
}

function item(object: Value, index: Value, safe: boolean): Value {
  if (object instanceof Reference) return new Reference(`${object.text}[${asText(index)}]`);
  if (typeof index === 'string') return member(object, index, safe);
  if (!Array.isArray(object) || typeof index !== 'number') {
    throw new Error(`${describe(object)} has no item ${describe(index)}`);
  }
  const found = object[index];
  if (found !== undefined) return found;
  if (safe) return null;
  throw new Error(`no item ${index}: there are ${object.length}`);
}

function call(expression: Expression & { kind: 'call' }, scope: Scope): Value {
  const { object, name, args } = expression;
  const space = object?.kind === 'name' && /^(az|sys)$/.test(object.name) && scope.lookup(object.name) === undefined;
  const values = (): Value[] => args.map((one) => evaluate(one, scope));
  if (object !== undefined && !space) {
    const target = evaluate(object, scope);
    const found = isObject(target) ? target[name] : undefined;
    if (found instanceof Lambda) return found.call(values());
    if (target instanceof ResourceValue) return new Reference(`${referenceTo(target)}.${name}()`);
    throw new Error(`${describe(target)} has no function "${name}"`);
  }
  const own = space ? undefined : scope.lookup(name);
  if (own instanceof Lambda) return own.call(values());
  const known = builtin(name);
  if (known === undefined) throw new Error(`unknown function "${name}"`);
  return known(values(), scope.place);
}

function unary(operator: string, operand: Value): Value {
  if (operator === '!' && typeof operand === 'boolean') return !operand;
  if (operator === '-' && typeof operand === 'number') return -operand;
  throw new Error(`"${operator}" does not go with ${describe(operand)}`);
}

function binary(operator: string, left: Value, right: () => Value): Value {
  switch (operator) {
    case '??':
      return left ?? right();
    case '||':
      return both(operator, left) || both(operator, right());
    case '&&':
      return both(operator, left) && both(operator, right());
    case '==':
      return equal(left, right());
    case '!=':
      return !equal(left, right());
    case '=~':
      return asText(left).toLowerCase() === asText(right()).toLowerCase();
    case '!~':
      return asText(left).toLowerCase() !== asText(right()).toLowerCase();
    default:
      return arithmetic(operator, left, right());
  }
}

function both(operator: string, value: Value): boolean {
  if (typeof value === 'boolean') return value;
  throw new Error(`"${operator}" does not go with ${describe(value)}`);
}

function equal(left: Value, right: Value): boolean {
  const open = [left, right].find((value) => value instanceof Reference);
  if (open !== undefined) throw new Error(`cannot compare ${describe(open)}`);
  return same(left, right);
}

function arithmetic(operator: string, left: Value, right: Value): Value {
  if (typeof left !== typeof right || (typeof left !== 'number' && typeof left !== 'string')) {
    throw new Error(`"${operator}" does not go with ${describe(left)} and ${describe(right)}`);
  }
  const [one, other] = [left, right as typeof left];
  if (operator === '<') return one < other;
  if (operator === '<=') return one <= other;
  if (operator === '>') return one > other;
  if (operator === '>=') return one >= other;
  if (typeof one !== 'number' || typeof other !== 'number') throw new Error(`"${operator}" does not go with texts`);
  if (operator === '+') return one + other;
  if (operator === '-') return one - other;
  if (operator === '*') return one * other;
  if (other === 0) throw new Error('division by zero');
  return operator === '/' ? Math.trunc(one / other) : one % other;
}

/** Returns the entries of an object as values. */
export const objectOf = (entries: [string, () => Value][]): ObjectValue =>
  Object.fromEntries(entries.map(([key, entry]) => [key, entry()]));
