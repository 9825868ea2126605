/** The values of Bicep during the expansion of a template. */

/** A value that only Azure knows: an id, an address or another property of a resource that does not exist yet. */
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

/** A resource of the file: deployed, or `existing`. */
export interface ResourceFields {
  type: string;
  apiVersion: string;
  /** Name without that of a parent. */
  name: string;
  /** Full name, with the names of the parents separated by slashes. */
  fullName: string;
  /** Whether its condition is true. */
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

/** A module of the file. It has outputs only if its condition is true. */
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

/** Converts a value for the expanded template: a value that only Azure knows becomes a text in brackets. */
export function plain(value: Value): Value {
  if (value instanceof Reference) return `[${value.text}]`;
  if (value instanceof ResourceValue) return `[${referenceTo(value)}]`;
  if (value instanceof ModuleValue || value instanceof Lambda) throw new Error('a module or function is no value');
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, plain(entry)]));
}

/** Returns the text for a resource whose properties only Azure knows. */
export function referenceTo(resource: ResourceValue): string {
  const { type, fullName } = resource.fields();
  return `reference(${type} ${fullName})`;
}

/** Converts a value for an interpolation. */
export function asText(value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const shown = plain(value);
  return typeof shown === 'string' || typeof shown === 'number' ? String(shown) : JSON.stringify(shown);
}
