/** The same handler for every contender: billing's schema, map and reduce, for an item as JSON. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ItemContext } from '../../shared/workload/define.ts';
import billing from '../../workloads/billing.ts';

/** What the results of a key have come to. */
export type Totals = Map<string, unknown>;

/** Billing looks at nothing of its context. */
const CONTEXT = {} as ItemContext;

/** Runs the handler on an item, and adds its result to `totals`; undefined when the item is refused. */
export function handle(json: string, totals: Totals): unknown {
  const checked = billing.item['~standard'].validate(JSON.parse(json)) as StandardSchemaV1.Result<unknown>;
  if (checked.issues || !billing.map || !billing.reduce) return undefined;
  try {
    const result = billing.map(checked.value, CONTEXT);
    const { key, init, add } = billing.reduce;
    const name = key(result) as string;
    totals.set(name, add(totals.get(name) ?? init(), result, name));
    return result;
  } catch {
    return undefined;
  }
}
