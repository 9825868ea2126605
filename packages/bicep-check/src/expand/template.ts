/** Expands a Bicep file into the resources that it deploys, including modules. */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entriesOf, evaluate, holds, iterations, objectOf, type Scope } from './evaluate.ts';
import { describe, SUBSCRIPTION_ID } from './functions.ts';
import { BicepError } from './lexer.ts';
import { memo, once } from './memo.ts';
import { checkParameter, type Options } from './parameters.ts';
import { type Declaration, type Expression, type ObjectExpression, parseDeclarations } from './parser.ts';
import { isObject, ModuleValue, type ObjectValue, plain, Reference, ResourceValue, type Value } from './values.ts';

/** A resource as the deployment sends it. Values that only Azure knows are texts such as `[reference(type name).id]`. */
export interface DeployedResource {
  type: string;
  apiVersion: string;
  /** The declaring file: `main`, or `main/hostStorage` for a module; loops add `[index]`. */
  module: string;
  /** Symbolic name in that file; loops add `[index]`. */
  symbol: string;
  /** Full name, with the names of the parents separated by slashes. */
  name: string;
  /** Scope: `subscription`, or type and name of a resource group or, for an extension, of a resource. */
  scope: string;
  location: string | undefined;
  tags: Record<string, string> | undefined;
  properties: ObjectValue;
  /** Body without type and version; its name does not contain those of parents. */
  body: ObjectValue;
  /** The entries of `dependsOn`, as type and name, or as module. */
  dependsOn: string[];
}

/** The result of expanding a template. */
export interface Expanded {
  resources: DeployedResource[];
  /** Existing resources that are referenced and not deployed, as `type name`. */
  existing: string[];
  outputs: Record<string, Value>;
}

interface Context {
  root: string;
  file: string;
  module: string;
  scope: string;
  group: Scope['place']['group'];
  environment: Readonly<Record<string, string>>;
  resources: Collected[];
}
/** Functions that create the resources when all names are known, in the order of the files. */
type Collected = () => { deployed: DeployedResource } | { existing: string } | undefined;

/**
 * Expands a template with parameters.
 * @param file Path relative to the root.
 * @throws BicepError for errors that a deployment would refuse and that the file shows: an unknown name, function, parameter or
 * property, a parameter out of bounds, a child of a resource that is not deployed.
 */
export function expandTemplate(file: string, parameters: Readonly<Record<string, Value>>, options: Options): Expanded {
  const { root, environment = {} } = options;
  const resources: Collected[] = [];
  const module = basename(file, '.bicep');
  const outputs = expandFile(
    { root, file, module, scope: 'subscription', group: undefined, environment, resources },
    parameters,
  )();
  const made: DeployedResource[] = [];
  const existing: string[] = [];
  for (const collect of resources) {
    const found = collect();
    if (found === undefined) continue;
    if ('deployed' in found) made.push(found.deployed);
    else existing.push(found.existing);
  }
  return { resources: made, existing: [...new Set(existing)], outputs: plain(outputs) as ObjectValue };
}

/** Expands a file into the resources of the context; outputs are computed on first use. */
function expandFile(context: Context, parameters: Readonly<Record<string, Value>>): () => ObjectValue {
  const { root, file, module } = context;
  const path = join(root, file);
  const declarations = parseDeclarations(file, readFileSync(path, 'utf8'));
  const place = {
    folder: dirname(path),
    group: context.group,
    deployment: module.replaceAll(/\W/g, '-'),
    environment: context.environment,
  };
  const declared = new Map(
    declarations
      .filter(({ keyword, name }) => /^(param|var|resource|module|func)$/.test(keyword) && name !== '')
      .map((one) => [one.name, one]),
  );
  const imported = declarations.filter(({ keyword }) => keyword === 'import');
  const scope: Scope = { file, place, lookup: memo((name) => declaredValue(name)) };

  for (const name of Object.keys(parameters)) {
    if (declared.get(name)?.keyword === 'param') continue;
    throw new BicepError(file, 1, `there is no parameter "${name}"`);
  }
  for (const one of declarations) {
    if (one.keyword === 'param' || one.keyword === 'resource' || one.keyword === 'module') scope.lookup(one.name);
  }
  const outputs = declarations.filter(({ keyword }) => keyword === 'output');
  return once(() =>
    Object.fromEntries(outputs.map(({ name, value }) => [name, value === undefined ? null : evaluate(value, scope)])),
  );

  function declaredValue(name: string): Value | undefined {
    const one = declared.get(name);
    if (one === undefined) return importedValue(name);
    if (one.keyword === 'param') return parameterValue(one);
    if (one.keyword === 'resource') return resourceValue(one, { ...context, scopeOfFile: scope }, scope, undefined);
    if (one.keyword === 'module') return moduleValue(one, context, scope);
    return one.value === undefined ? undefined : evaluate(one.value, scope);
  }

  function importedValue(name: string): Value | undefined {
    const found = imported.find(({ imports }) => Object.hasOwn(imports, name));
    if (found === undefined) return undefined;
    const source = found.imports[name] ?? name;
    const exported = exportsOf(root, join(dirname(file), found.reference), context);
    return source === '*' ? exported : exported[source];
  }

  function parameterValue(one: Declaration): Value {
    const given = parameters[one.name];
    if ((given === undefined || given === null) && one.value !== undefined) {
      const value = evaluate(one.value, scope);
      checkParameter(one, value, scope);
      return value;
    }
    if (given === undefined) {
      if (one.reference.endsWith('?')) return null;
      throw new BicepError(file, one.line, `parameter "${one.name}" has no value`);
    }
    checkParameter(one, given, scope);
    return given;
  }
}

/** Returns the exported variables and functions of a file. */
function exportsOf(root: string, file: string, context: Context): ObjectValue {
  const declarations = parseDeclarations(file, readFileSync(join(root, file), 'utf8'));
  const place = {
    folder: dirname(join(root, file)),
    group: undefined,
    deployment: '',
    environment: context.environment,
  };
  const scope: Scope = {
    file,
    place,
    lookup: memo((name) => {
      const found = declarations.find((one) => /^(var|func)$/.test(one.keyword) && one.name === name)?.value;
      return found === undefined ? undefined : evaluate(found, scope);
    }),
  };
  const exported = declarations.filter(
    ({ keyword, decorators }) => /^(var|func)$/.test(keyword) && decorators.some(({ name }) => name === 'export'),
  );
  return Object.fromEntries(exported.map(({ name }) => [name, scope.lookup(name) ?? null]));
}

interface Body {
  body: ObjectExpression;
  condition: boolean;
  scope: Scope;
}

/** Returns the bodies of a resource or module: one, or one per item of its loop. */
function bodiesOf(value: Expression, scope: Scope): Body | Body[] {
  if (value.kind === 'for') {
    return iterations(value, scope).map((one) => {
      const body = bodiesOf(value.body, one);
      if (Array.isArray(body)) throw new BicepError(scope.file, value.line, 'a loop in a loop is for a module');
      return body;
    });
  }
  if (value.kind === 'if') return { body: value.body, condition: holds(value.condition, scope), scope };
  if (value.kind === 'object') return { body: value, condition: true, scope };
  throw new BicepError(scope.file, value.line, 'expected an object');
}

function each<T>(bodies: Body | Body[], make: (body: Body, suffix: string) => T): T | T[] {
  return Array.isArray(bodies) ? bodies.map((body, index) => make(body, `[${index}]`)) : make(bodies, '');
}

/** Returns the properties of an object that the language itself uses. */
const LANGUAGE = new Set(['name', 'parent', 'scope', 'dependsOn', 'params']);

interface ResourceContext extends Context {
  scopeOfFile: Scope;
}

function resourceValue(
  one: Declaration,
  context: ResourceContext,
  scope: Scope,
  outer: { value: ResourceValue; condition: boolean } | undefined,
): Value {
  if (one.value === undefined) return null;
  return each(bodiesOf(one.value, scope), (body, suffix) => oneResource(one, body, suffix, context, outer));
}

function oneResource(
  one: Declaration,
  { body, condition, scope }: Body,
  suffix: string,
  context: ResourceContext,
  outer: { value: ResourceValue; condition: boolean } | undefined,
): ResourceValue {
  const { file } = context;
  const entries = once(() => new Map(entriesOf(body, scope)));
  const deployed = condition && (outer?.condition ?? true);
  const [ownType = '', version = ''] = one.reference.split('@');

  const read = (key: string): Value | undefined => entries().get(key)?.();
  const parentOf = once((): ResourceValue | undefined => {
    if (outer !== undefined) return outer.value;
    const parent = read('parent');
    if (parent === undefined || parent instanceof ResourceValue) return parent;
    throw new BicepError(file, one.line, `the parent of "${one.name}" is no resource: ${describe(parent)}`);
  });
  const fields = once(() => {
    const parent = parentOf()?.fields();
    const type = outer === undefined ? ownType : `${parent?.type}/${ownType}`;
    if (parent !== undefined && type.slice(0, type.lastIndexOf('/')) !== parent.type) {
      throw new BicepError(file, one.line, `${type} is no child of ${parent.type}`);
    }
    if (parent !== undefined && deployed && !parent.deployed) {
      throw new BicepError(file, one.line, `"${one.name}" is deployed, but its parent ${parent.fullName} is not`);
    }
    const name = read('name');
    if (typeof name !== 'string') {
      throw new BicepError(file, one.line, `"${one.name}" needs a name that is known before, got ${describe(name)}`);
    }
    const apiVersion = version === '' ? (parent?.apiVersion ?? '') : version;
    return { type, apiVersion, name, fullName: parent ? `${parent.fullName}/${name}` : name, deployed };
  });
  const children = new Map(body.resources.map((child) => [child.name, child]));
  const childOf = memo((name: string): Value => {
    const child = children.get(name);
    if (child === undefined) throw new Error(`"${one.name}" has no nested resource "${name}"`);
    return resourceValue(child, context, inside, { value: resource, condition: deployed });
  });
  const resource = new ResourceValue(fields, childOf);
  // Nested resources can refer to each other by name.
  const inside: Scope = {
    ...scope,
    lookup: (name) => (children.has(name) ? childOf(name) : scope.lookup(name)),
  };

  context.resources.push(() => {
    if (!deployed) return undefined;
    const { type, apiVersion, fullName, name } = fields();
    if (one.existing) return { existing: `${type} ${fullName}` };
    const sent = [...entries()].filter(([key]) => key === 'name' || !LANGUAGE.has(key));
    const values = plain(objectOf(sent)) as ObjectValue;
    return {
      deployed: {
        type,
        apiVersion,
        module: context.module,
        symbol: one.name + suffix,
        name: fullName,
        scope: scopeText(read('scope'), context.scope),
        location: values.location as string | undefined,
        tags: values.tags as Record<string, string> | undefined,
        properties: isObject(values.properties) ? values.properties : {},
        body: { ...values, name },
        dependsOn: dependencies(read('dependsOn') ?? []),
      },
    };
  });
  for (const name of children.keys()) childOf(name);
  return resource;
}

function dependencies(value: Value): string[] {
  if (Array.isArray(value)) return value.flatMap(dependencies);
  if (value instanceof ModuleValue) return [value.name];
  if (!(value instanceof ResourceValue))
    throw new Error(`dependsOn takes resources and modules, got ${describe(value)}`);
  const { type, fullName } = value.fields();
  return [`${type} ${fullName}`];
}

/** Returns the scope of a resource or module. */
function scopeText(scope: Value | undefined, inherited: string): string {
  if (scope === undefined) return inherited;
  if (scope instanceof ResourceValue) {
    const { type, fullName, deployed } = scope.fields();
    if (!deployed) throw new Error(`the scope ${type} ${fullName} is not deployed with these parameters`);
    return `${type} ${fullName}`;
  }
  if (isObject(scope) && typeof scope.type === 'string') return `${scope.type} ${String(scope.name)}`;
  if (isObject(scope)) return scope.subscriptionId === undefined ? 'tenant' : 'subscription';
  throw new Error(`expected a scope, got ${describe(scope)}`);
}

function groupOf(scope: Value | undefined, context: Context): Context['group'] {
  if (scope === undefined) return context.group;
  if (isObject(scope) && scope.type === 'Microsoft.Resources/resourceGroups') {
    return { name: String(scope.name), location: scope.location ?? null };
  }
  if (!(scope instanceof ResourceValue)) return undefined;
  const { type, name } = scope.fields();
  if (type !== 'Microsoft.Resources/resourceGroups') throw new Error(`a module is deployed to a group, not to ${type}`);
  return { name, location: new Reference(`reference(${SUBSCRIPTION_ID}/resourceGroups/${name}).location`) };
}

function moduleValue(one: Declaration, context: Context, scope: Scope): Value {
  if (one.value === undefined) return null;
  return each(bodiesOf(one.value, scope), (body, suffix) => {
    if (!body.condition) return new ModuleValue(one.name, undefined);
    const entries = new Map(entriesOf(body.body, body.scope));
    const target = entries.get('scope')?.();
    const params = entries.get('params')?.() ?? {};
    if (!isObject(params)) throw new BicepError(scope.file, one.line, 'expected an object of parameters');
    const within: Context = {
      ...context,
      file: join(dirname(context.file), one.reference),
      module: `${context.module}/${one.name}${suffix}`,
      scope: scopeText(target, context.scope),
      group: groupOf(target, context),
    };
    try {
      return new ModuleValue(`module ${within.module}`, expandFile(within, params));
    } catch (error) {
      if (error instanceof BicepError) throw error;
      throw new BicepError(scope.file, one.line, error instanceof Error ? error.message : String(error));
    }
  });
}
