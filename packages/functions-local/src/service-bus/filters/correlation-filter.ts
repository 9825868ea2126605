import { invalidArgument } from '../errors.ts';
import type { FilterValue, Predicate, SystemProperty } from './subject.ts';

/** Values that must all be equal for a message to match. Absent values are not compared. */
export interface CorrelationFilter {
  /** Keyed by the lower-case name of the system property. */
  readonly system: Partial<Readonly<Record<SystemProperty, string>>>;
  /** Application properties by name. Names are compared without case. */
  readonly properties: Readonly<Record<string, string | number | boolean>>;
}

/** Compiles a correlation filter. Throws argument-error if it has no condition. */
export function compileCorrelationFilter(filter: CorrelationFilter): Predicate {
  const system = Object.entries(filter.system) as [SystemProperty, string][];
  const properties = Object.entries(filter.properties).map(([name, value]): [string, FilterValue] => [
    name.toLowerCase(),
    value,
  ]);
  if (system.length + properties.length === 0)
    throw invalidArgument('Correlation filter: expected at least one property to compare, got none');
  return (subject) =>
    system.every(([name, value]) => subject.system[name] === value) &&
    properties.every(([name, value]) => subject.application.get(name) === value);
}
