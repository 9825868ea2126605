import { type CorrelationFilter, compileCorrelationFilter } from './correlation-filter.ts';
import { compileSqlFilter } from './sql-filter.ts';
import type { Predicate } from './subject.ts';

/** The filter of a rule. */
export type RuleFilter =
  | { readonly kind: 'sql'; readonly expression: string }
  | { readonly kind: 'correlation'; readonly correlation: CorrelationFilter };

/** A named filter. A subscription receives a message if at least one of its rules matches. */
export interface Rule {
  readonly name: string;
  readonly filter: RuleFilter;
}

/** The rule of a subscription without configured rules. It matches every message. */
export const defaultRule: Rule = { name: '$Default', filter: { kind: 'sql', expression: '1=1' } };

/** Compiles the filter of a rule. Throws argument-error if it is not valid. */
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
