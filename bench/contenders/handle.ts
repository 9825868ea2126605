/** The same handler for every contender: billing's schema, map and reduce. */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { ItemContext } from '../../shared/workload/define.ts';
import billing from '../../workloads/billing.ts';

/** The aggregate of each key. */
export type Totals = Map<string, unknown>;

/** Billing does not use its context. */
const CONTEXT = {} as ItemContext;
const { item: schema, map, reduce } = billing;
if (!map || !reduce) throw new Error('Expected billing to map items one by one, and to reduce them.');

/** Runs the handler on a parsed item and adds its result to `totals`. A refused item adds nothing. */
export function handleItem(item: unknown, totals: Totals): void {
  const checked = schema['~standard'].validate(item) as StandardSchemaV1.Result<unknown>;
  if (checked.issues) return;
  try {
    const result = map?.(checked.value, CONTEXT);
    const key = reduce?.key(result) as string;
    totals.set(key, reduce?.add(totals.get(key) ?? reduce.init(), result, key));
  } catch {
    // The rules of billing refuse an item by throwing.
  }
}

/** Runs the handler on the JSON of an item. */
export const handle = (json: string, totals: Totals): void => handleItem(JSON.parse(json), totals);

/** Runs the handler on each line of NDJSON. Returns the number of lines. */
export function handleLines(text: string, totals: Totals): number {
  let items = 0;
  for (const line of text.split('\n')) {
    if (line === '') continue;
    handle(line, totals);
    items += 1;
  }
  return items;
}

/** Merges the aggregates `from` into `into`. */
export function mergeTotals(into: Totals, from: Iterable<[string, unknown]>): void {
  for (const [key, value] of from) into.set(key, into.has(key) ? reduce?.merge(into.get(key), value) : value);
}

/** The lines of the report, as Sluice writes them: JSON of key and value. */
export const reportLines = (totals: Totals): string[] =>
  [...totals].map(([key, value]) => JSON.stringify({ key, value: reduce?.finish(key, value) }));
