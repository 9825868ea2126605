import { parseDuration } from './duration.ts';

/** Reads one object of the configuration field by field. `end` refuses all fields that were not read. */
export class Fields {
  readonly where: string;
  readonly #values: Map<string, unknown>;

  /** Throws if `value` is not an object. Undefined counts as an empty object. */
  constructor(value: unknown, where: string) {
    if (value !== undefined && (typeof value !== 'object' || value === null || Array.isArray(value))) {
      throw new Error(`${where}: expected an object, got ${JSON.stringify(value)}`);
    }
    this.where = where;
    this.#values = new Map(Object.entries(value ?? {}));
  }

  /** Returns the raw value of a field, or undefined. */
  take(name: string): unknown {
    const value = this.#values.get(name);
    this.#values.delete(name);
    return value;
  }

  /** Reads an optional string. */
  optionalText(name: string): string | undefined {
    const value = this.take(name);
    if (value !== undefined && typeof value !== 'string') throw this.#wrong(name, 'a string', value);
    return value;
  }

  /** Reads a required, non-empty string. */
  text(name: string): string {
    const value = this.optionalText(name);
    if (!value) throw this.#wrong(name, 'a non-empty string', value);
    return value;
  }

  /** Reads a boolean. Defaults to false. */
  flag(name: string): boolean {
    const value = this.take(name) ?? false;
    if (typeof value !== 'boolean') throw this.#wrong(name, 'true or false', value);
    return value;
  }

  /** Reads a whole number of at least 1. */
  count(name: string, missing: number): number {
    const value = this.take(name) ?? missing;
    if (typeof value !== 'number' || !Number.isInteger(value) || value < 1) {
      throw this.#wrong(name, 'a whole number of at least 1', value);
    }
    return value;
  }

  /** Reads a duration in milliseconds. Undefined if the field is absent or means "no limit". */
  duration(name: string): number | undefined {
    const value = this.optionalText(name);
    const ms = value === undefined ? undefined : parseDuration(value, `${this.where}.${name}`);
    if (ms === 0) throw this.#wrong(name, 'a duration above zero', value);
    return ms;
  }

  /** Reads the elements of an array, each with its location. Defaults to none. */
  list(name: string): { value: unknown; where: string }[] {
    const value = this.take(name) ?? [];
    if (!Array.isArray(value)) throw this.#wrong(name, 'an array', value);
    return value.map((element: unknown, index) => ({ value: element, where: `${this.where}.${name}[${index}]` }));
  }

  /** Throws unless the field is off (absent, false or empty). */
  refuse(name: string, feature: string): void {
    const value = this.take(name) ?? false;
    if (value !== false && value !== '')
      throw new Error(`${this.where}.${name}: ${feature} not supported by the local Service Bus broker`);
  }

  /** Throws if there are fields that were not read. */
  end(): void {
    const unknown = [...this.#values.keys()];
    if (unknown.length > 0)
      throw new Error(`${this.where}: unknown ${unknown.length === 1 ? 'key' : 'keys'} ${unknown.join(', ')}`);
  }

  #wrong(name: string, expected: string, value: unknown): Error {
    return new Error(`${this.where}.${name}: expected ${expected}, got ${JSON.stringify(value)}`);
  }
}
