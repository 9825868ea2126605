/** JSON Merge Patch (RFC 7396) that keeps all digits of numbers. */
import { isExactNumber, parseExact } from './exact-json.ts';

/** A patch as read by `parseExact`: null removes a member, objects are merged, other values replace. */
export type Patch = Readonly<Record<string, unknown>>;

/** Applies a patch to an item, given as JSON text. */
export const mergePatch = (item: string, patch: Patch): string => JSON.stringify(merge(parseExact(item), patch));

function merge(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) merged.delete(name);
    else merged.set(name, merge(merged.get(name), value));
  }
  // A member may be named "__proto__": an assignment would set the prototype.
  return Object.fromEntries(merged);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value);
