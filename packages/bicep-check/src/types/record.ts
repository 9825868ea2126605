/**
 * The record of the properties of a deployment that were checked against the official type definitions. The definitions
 * themselves are not stored here; with this record, every run verifies that only checked properties are sent.
 */
import type { DeployedResource } from '../expand/template.ts';
import { below, checkResource, isReference, literals, merged } from './check.ts';
import type { Definitions } from './definitions.ts';

/** The record of checked properties. */
export interface Verified {
  source: { repository: string; licence: string; commit: string; committed: string };
  /** The kinds of the sent properties by path, by `type@version`. */
  types: Record<string, Record<string, string>>;
}

/** Problems of resources, by type and name. */
export function faultsOf(resources: readonly DeployedResource[], check: (one: DeployedResource) => string[]): string[] {
  return resources.flatMap((one) => check(one).map((fault) => `${one.type} ${one.name}: ${fault}`));
}

/** Returns the kinds of all sent properties, merged by type. */
export function recordOf(resources: readonly DeployedResource[], definitions: Definitions): Verified['types'] {
  const types: Record<string, Record<string, string>> = {};
  for (const resource of resources) {
    const reference = `${resource.type}@${resource.apiVersion}`;
    const kinds = types[reference] ?? {};
    for (const [place, kind] of checkResource(resource, definitions).seen) {
      kinds[place] = kinds[place] === undefined ? kind : merged(kinds[place], kind);
    }
    types[reference] = sorted(kinds);
  }
  return sorted(types);
}

const sorted = <T>(record: Record<string, T>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));

/** Checks a resource against the record: it may send only recorded properties, and must send the required ones. */
export function checkAgainstRecord(resource: DeployedResource, { types }: Verified): string[] {
  const reference = `${resource.type}@${resource.apiVersion}`;
  const kinds = types[reference];
  if (kinds === undefined) return [`${reference} was never checked`];
  return checkPlace('', resource.body, kinds);
}

function checkPlace(place: string, value: unknown, kinds: Readonly<Record<string, string>>): string[] {
  const kind = kinds[place];
  const name = place === '' ? 'the resource' : place;
  if (kind === undefined) return [`${name}: was never checked`];
  if (isReference(value) || /\bany\b/.test(kind)) return [];
  if (Array.isArray(value)) {
    if (!kind.includes('array')) return [`${name}: expected ${kind}, got an array`];
    return value.flatMap((item) => checkPlace(`${place}[]`, item, kinds));
  }
  if (typeof value === 'object' && value !== null) return checkKeys(place, value as Record<string, unknown>, kinds);
  return isOfKind(value, kind) ? [] : [`${name}: expected ${kind}, got ${JSON.stringify(value)}`];
}

function checkKeys(
  place: string,
  value: Readonly<Record<string, unknown>>,
  kinds: Readonly<Record<string, string>>,
): string[] {
  const discriminator = /object by ([\w.]+)/.exec(kinds[place] ?? '')?.[1];
  const inside = discriminator === undefined ? place : `${place}(${String(value[discriminator])})`;
  const missing = Object.entries(kinds)
    .filter(([one, kind]) => kind.startsWith('required ') && parentOf(one) === inside)
    .map(([one]) => one)
    .filter((one) => !Object.hasOwn(value, one.slice(inside === '' ? 0 : inside.length + 1)))
    .map((one) => `${one}: is missing`);
  const found = Object.entries(value).flatMap(([key, entry]) => {
    const own = below(inside, key);
    return checkPlace(Object.hasOwn(kinds, own) ? own : below(inside, '*'), entry, kinds).map((fault) =>
      Object.hasOwn(kinds, own) ? fault : `${own}: was never checked`,
    );
  });
  return [...missing, ...found];
}

/** Returns the path of the object that contains a property; undefined for items. */
function parentOf(place: string): string | undefined {
  if (place === '' || place.endsWith('[]')) return undefined;
  // The name of a variant may contain a slash.
  const end = place.lastIndexOf('/');
  return end < 0 ? '' : place.slice(0, end);
}

function isOfKind(value: unknown, kind: string): boolean {
  if (typeof value === 'boolean') return kind.includes('boolean');
  if (typeof value === 'number') return kind.includes('integer');
  if (value === null) return true;
  return kind.includes('string') || literals(kind).includes(String(value));
}
