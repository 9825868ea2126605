/** JSON Merge Patch (RFC 7396), with the digits of all numbers kept. */
import { isExactNumber, parseExact } from './exact-json.ts';
import { findTooDeep, MAX_ITEM_NESTING } from './nesting.ts';

/** A patch as `parseExact` reads it: what is null is removed, objects are merged, everything else is replaced. */
export type Patch = Readonly<Record<string, unknown>>;

/**
 * Applies a patch to an item, as JSON text. Undefined for an item that is nested deeper than an upload may be: an earlier
 * version accepted it, and JSON.stringify could not write it.
 */
export function mergePatch(item: string, patch: Patch): string | undefined {
  return findTooDeep(item, MAX_ITEM_NESTING) === undefined ? JSON.stringify(merge(parseExact(item), patch)) : undefined;
}

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  }
  // A member may have any name, "__proto__" too: assignment would set the prototype.
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
