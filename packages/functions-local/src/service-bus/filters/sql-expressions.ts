import { unsupported } from '../errors.ts';
import { type ArithmeticOperator, calculate } from './sql-values.ts';
import { type FilterSubject, type FilterValue, toSystemProperty } from './subject.ts';

/** A compiled part of a SQL filter. A condition returns true, false or null ("unknown"). */
export type Expression = (subject: FilterSubject) => FilterValue;

/** Creates a literal. */
export function constant(value: FilterValue): Expression {
  return () => value;
}

/** Creates a reference to an application property. */
export function applicationProperty(name: string): Expression {
  const lower = name.toLowerCase();
  return (subject) => subject.application.get(lower) ?? null;
}

/** Creates a reference to a property in the scope `sys.`. Throws if the property is unknown. */
export function systemProperty(name: string): Expression {
  const property = toSystemProperty(name);
  if (!property) throw unsupported(`SQL filter: the system property sys.${name} is`);
  return (subject) => subject.system[property];
}

/** Creates a calculation. */
export function arithmetic(operator: ArithmeticOperator, left: Expression, right: Expression): Expression {
  return (subject) => calculate(operator, left(subject), right(subject));
}

function truth(value: FilterValue): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** NOT: unknown stays unknown. */
export function negated(expression: Expression): Expression {
  return (subject) => {
    const value = truth(expression(subject));
    return value === null ? null : !value;
  };
}

/** AND: false takes precedence over unknown. */
export function both(left: Expression, right: Expression): Expression {
  return (subject) => {
    const first = truth(left(subject));
    if (first === false) return false;
    const second = truth(right(subject));
    return second === false ? false : first === null ? null : second;
  };
}

/** OR: true takes precedence over unknown. */
export function either(left: Expression, right: Expression): Expression {
  return (subject) => {
    const first = truth(left(subject));
    if (first === true) return true;
    const second = truth(right(subject));
    return second === true ? true : first === null ? null : second;
  };
}
