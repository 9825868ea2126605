import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { HostStartError } from '../errors.ts';
import { isRecord } from '../settings/json.ts';
import type { AuthLevel } from './routing/router.ts';

/** One key, or several by name. */
export type KeySet = string | Record<string, string>;

/** The keys of a host. */
export interface HostKeys {
  /** Opens everything, the admin API included. */
  master: string;
  /** Opens every function of level `function`. */
  host?: KeySet;
  /** By function name. */
  functions?: Record<string, KeySet>;
  /** Opens the webhooks of extensions. */
  system?: string;
}

/** What a request must show. */
export interface KeyDemand {
  level: AuthLevel;
  functionName?: string;
}

/** The key that a request carries: the header `x-functions-key` wins over the query's `code`. */
export function readRequestKey(headers: IncomingHttpHeaders, query: URLSearchParams): string | undefined {
  const header = headers['x-functions-key'];
  return (Array.isArray(header) ? header[0] : header) ?? query.get('code') ?? undefined;
}

/** Whether a key opens what is demanded. */
export function isAuthorized(keys: HostKeys, demand: KeyDemand, key: string | undefined): boolean {
  if (demand.level === 'anonymous') return true;
  if (!key) return false;
  const own = demand.functionName === undefined ? undefined : findOwn(keys, demand.functionName);
  const opening = demand.level === 'admin' ? [] : [...toList(keys.host), ...toList(own)];
  // Every candidate is compared, so that the time taken does not show which one came close.
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

/** A fresh random key. */
export function createKey(): string {
  return randomBytes(40).toString('base64url');
}

/** Fresh random keys: master, host and system. */
export function createKeys(): HostKeys {
  return { master: createKey(), host: { default: createKey() }, system: createKey() };
}

/** Reads the text of a keys file. Throws when it is not of the expected shape. */
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
