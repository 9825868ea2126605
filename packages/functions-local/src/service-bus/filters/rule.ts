import { type CorrelationFilter, compileCorrelationFilter } from './correlation-filter.ts';
import { compileSqlFilter } from './sql-filter.ts';
import type { Predicate } from './subject.ts';

/** The condition of a rule. */
export type RuleFilter =
  | { readonly kind: 'sql'; readonly expression: string }
  | { readonly kind: 'correlation'; readonly correlation: CorrelationFilter };

/** A named condition; a subscription takes a message when one of its rules passes. */
export interface Rule {
  readonly name: string;
  readonly filter: RuleFilter;
}

/** What a subscription has when nothing else was said: it takes every message. */
export const defaultRule: Rule = { name: '$Default', filter: { kind: 'sql', expression: '1=1' } };

/** Compiles a rule's condition. Throws argument-error when it is not valid. */
export function compileRule(filter: RuleFilter): Predicate {
  switch (filter.kind) {
    case 'sql':
      return compileSqlFilter(filter.expression);
    case 'correlation':
      return compileCorrelationFilter(filter.correlation);
    default:
      return filter satisfies never;
  }
}
