/** Values of Bicep while a template is expanded. */

/** What only Azure knows: an id, an address or another property of a resource that does not exist yet. */
export class Reference {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A function of the file: a lambda, or one declared with `func`. */
export class Lambda {
  readonly call: (args: readonly Value[]) => Value;
  constructor(call: (args: readonly Value[]) => Value) {
    this.call = call;
  }
}

/** A resource of the file, deployed by it or `existing`. */
export interface ResourceFields {
  type: string;
  apiVersion: string;
  /** Name as written, without that of a parent. */
  name: string;
  /** Names of all parents and its own, with slashes between. */
  fullName: string;
  /** Whether its condition holds. */
  deployed: boolean;
}

export class ResourceValue {
  readonly fields: () => ResourceFields;
  readonly child: (name: string) => Value;
  constructor(fields: () => ResourceFields, child: (name: string) => Value) {
    this.fields = fields;
    this.child = child;
  }
}

/** A module of the file; its outputs are there only if its condition holds. */
export class ModuleValue {
  readonly name: string;
  readonly outputs: (() => Record<string, Value>) | undefined;
  constructor(name: string, outputs: (() => Record<string, Value>) | undefined) {
    this.name = name;
    this.outputs = outputs;
  }
}

export interface ObjectValue {
  [key: string]: Value;
}
export type Value =
  | null
  | boolean
  | number
  | string
  | Value[]
  | ObjectValue
  | Reference
  | Lambda
  | ResourceValue
  | ModuleValue;

export const isObject = (value: Value | undefined): value is ObjectValue =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  ![Reference, Lambda, ResourceValue, ModuleValue].some((type) => value instanceof type);

/** A value as it stands in the expanded template: what only Azure knows is a text in brackets. */
export function plain(value: Value): Value {
  if (value instanceof Reference) return `[${value.text}]`;
  if (value instanceof ResourceValue) return `[${referenceTo(value)}]`;
  if (value instanceof ModuleValue || value instanceof Lambda) throw new Error('a module or function is no value');
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]));
}

/** How a text names a resource whose properties only Azure knows. */
export function referenceTo(resource: ResourceValue): string {
  const { type, fullName } = resource.fields();
  return `reference(${type} ${fullName})`;
}

/** A value inside a text. */
export function asText(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const shown = plain(value);
  return typeof shown === 'string' || typeof shown === 'number' ? String(shown) : JSON.stringify(shown);
}
