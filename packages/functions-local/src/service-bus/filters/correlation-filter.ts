import { invalidArgument } from '../errors.ts';
import type { FilterValue, Predicate, SystemProperty } from './subject.ts';

/** Values that must all be equal for a message to pass; what is left out is not compared. */
export interface CorrelationFilter {
  /** By lower-cased name of the system property. */
  readonly system: Partial<Readonly<Record<SystemProperty, string>>>;
  /** Application properties by name; the case of names does not count. */
  readonly properties: Readonly<Record<string, string | number | boolean>>;
}

/** Compiles a correlation filter. Throws argument-error when it compares nothing. */
export function compileCorrelationFilter(filter: CorrelationFilter): Predicate {
  const system = Object.entries(filter.system) as [SystemProperty, string][];
  const properties = Object.entries(filter.properties).map(([name, value]): [string, FilterValue] => [
    name.toLowerCase(),
    value,
  ]);
  if (system.length + properties.length === 0) throw invalidArgument('Correlation filter: no property to compare');
  return (subject) =>
    system.every(([name, value]) => subject.system[name] === value) &&
    properties.every(([name, value]) => subject.application.get(name) === value);
}
