import { ruleExists, ruleNotFound } from '../errors.ts';
import { compileRule, type Rule } from '../filters/rule.ts';
import type { FilterSubject, Predicate } from '../filters/subject.ts';
import type { Store } from './store.ts';

/** The rules of one subscription. They survive restarts until the configuration contains different ones. */
export class RuleSet {
  readonly #entity: string;
  readonly #configured: string;
  readonly #store: Store;
  readonly #rules = new Map<string, { rule: Rule; matches: Predicate }>();

  constructor(entity: string, configured: readonly Rule[], store: Store) {
    this.#entity = entity;
    this.#configured = JSON.stringify(configured);
    this.#store = store;
    const saved = store.loadRules(entity);
    const rules: readonly Rule[] = saved?.configured === this.#configured ? JSON.parse(saved.current) : configured;
    for (const rule of rules) this.#rules.set(rule.name.toLowerCase(), { rule, matches: compileRule(rule.filter) });
  }

  /** Returns the rules in the order in which they were added. */
  list(): Rule[] {
    return [...this.#rules.values()].map(({ rule }) => rule);
  }

  /** Whether at least one rule matches the message. */
  matches(subject: FilterSubject): boolean {
    return [...this.#rules.values()].some(({ matches }) => matches(subject));
  }

  /** Adds a rule. Throws if the name is in use or the filter is not valid. */
  add(rule: Rule): void {
    const key = rule.name.toLowerCase();
    if (this.#rules.has(key)) throw ruleExists(rule.name);
    this.#rules.set(key, { rule, matches: compileRule(rule.filter) });
    this.#save();
  }

  /** Removes a rule. Throws if it does not exist. */
  remove(name: string): void {
    if (!this.#rules.delete(name.toLowerCase())) throw ruleNotFound(name);
    this.#save();
  }

  #save(): void {
    this.#store.saveRules(this.#entity, this.#configured, JSON.stringify(this.list()));
  }
}
