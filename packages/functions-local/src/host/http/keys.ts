import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HostStartError } from '../errors.ts';
import { isRecord } from '../settings/json.ts';
import type { AuthLevel } from './routing/router.ts';

/** One key, or several by name. */
export type KeySet = string | Record<string, string>;

/** The keys of a host. */
export interface HostKeys {
  /** Accepted everywhere, including the admin API. */
  master: string;
  /** Accepted for every function of level `function`. */
  host?: KeySet;
  /** By function name. */
  functions?: Record<string, KeySet>;
  /** Accepted for the webhooks of extensions. */
  system?: string;
}

/** The required authorization of a request. */
export interface KeyDemand {
  level: AuthLevel;
  functionName?: string;
}

/** Returns the key of a request. The header `x-functions-key` takes precedence over the query's `code`. */
export function readRequestKey(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  const header = headers['x-functions-key'];
  return (Array.isArray(header) ? header[0] : header) ?? query.get('code') ?? undefined;
}

/** Whether a key is sufficient for the required authorization. */
export function isAuthorized(keys: HostKeys, demand: KeyDemand, key: string | undefined): boolean {
  if (demand.level === 'anonymous') return true;
  if (!key) return false;
  const own = demand.functionName === undefined ? undefined : findOwn(keys, demand.functionName);
  const opening = demand.level === 'admin' ? [] : [...toList(keys.host), ...toList(own)];
  // All candidates are compared, so that the duration does not reveal which one matched.
  return [keys.master, ...opening].filter((candidate) => isSame(candidate, key)).length > 0;
}

function findOwn(keys: HostKeys, functionName: string): KeySet | undefined {
  const wanted = functionName.toLowerCase();
  return Object.entries(keys.functions ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function toList(set: KeySet | undefined): string[] {
  if (set === undefined) return [];
  return typeof set === 'string' ? [set] : Object.values(set);
}

function isSame(expected: string, given: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return expected !== '' && timingSafeEqual(digest(expected), digest(given));
}

/** Creates a random key. */
export function createKey(): string {
  return randomBytes(40).toString('base64url');
}

/** Creates random master, host and system keys. */
export function createKeys(): HostKeys {
  return { master: createKey(), host: { default: createKey() }, system: createKey() };
}

/** Parses a keys file. Throws if its structure is not valid. */
export function parseKeys(text: string, file: string): HostKeys {
  const json: unknown = JSON.parse(text);
  if (!isRecord(json) || typeof json.master !== 'string' || json.master === '') {
    throw new HostStartError(`${file}: expected an object with a non-empty "master" key.`);
  }
  const { master, host, functions, system } = json;
  return {
    master,
    ...(host === undefined ? {} : { host: toKeySet(host, `${file}: host`) }),
    ...(functions === undefined ? {} : { functions: toFunctionKeys(functions, file) }),
    ...(typeof system === 'string' ? { system } : {}),
  };
}

function toFunctionKeys(value: unknown, file: string): Record<string, KeySet> {
  if (!isRecord(value)) throw new HostStartError(`${file}: functions: expected an object by function name.`);
  const entries = Object.entries(value).map(([name, set]) => [name, toKeySet(set, `${file}: functions.${name}`)]);
  return Object.fromEntries(entries);
}

function toKeySet(value: unknown, where: string): KeySet {
  if (typeof value === 'string') return value;
  if (!isRecord(value)) throw new HostStartError(`${where}: expected a key or an object of keys by name.`);
  return Object.fromEntries(Object.entries(value).map(([name, key]) => [name, String(key)]));
}
