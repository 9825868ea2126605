import type { Environment } from './environment.ts';
import { findKey, isRecord } from './json.ts';

const PREFIX = /^AzureFunctionsJobHost(?:__|:)/i;

const DURABLE = /^AzureFunctionsJobHost(?:__|:)extensions(?:__|:)durableTask(?:__|:)/i;

/** Returns the names of the variables that override `extensions.durableTask`. */
export const durableOverrides = (env: Environment): string[] => Object.keys(env).filter((name) => DURABLE.test(name));

/** Returns a copy of `host.json` with the overrides of the `AzureFunctionsJobHost__a__b` variables. */
export function applyOverrides(json: Record<string, unknown>, env: Environment): Record<string, unknown> {
  const copy = structuredClone(json);
  for (const [name, text] of Object.entries(env)) {
    if (PREFIX.test(name) && text !== undefined) setAt(copy, name.replace(PREFIX, '').split(/__|:/), toTyped(text));
  }
  return copy;
}

function setAt(target: Record<string, unknown>, path: string[], value: unknown): void {
  const last = path.pop() ?? '';
  let current = target;
  for (const wanted of path) {
    const key = findKey(current, wanted);
    const next = current[key];
    current = isRecord(next) ? next : newSection(current, key);
  }
  current[findKey(current, last)] = value;
}

function newSection(parent: Record<string, unknown>, key: string): Record<string, unknown> {
  const section: Record<string, unknown> = {};
  parent[key] = section;
  return section;
}

// Variables are only text. Text in the form of a boolean or an integer is converted, except for "2.0" and "-1", which are
// text in host.json.
function toTyped(text: string): unknown {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  return /^\d+$/.test(text) ? Number(text) : text;
}
