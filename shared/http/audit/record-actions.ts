import type { HttpRequest } from '@azure/functions';
import { recordAction } from '../../commands/audit-log.ts';
import { storableLine } from '../../contract/text/text.ts';
import { toError } from '../../errors.ts';
import type { Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import type { AnsweringDeps } from '../edge/answers.ts';
import { bodyReadOf } from '../edge/request/json-body.ts';
import { isAction } from '../edge/route.ts';

export interface RecordHttp {
  table: () => Table;
  /** Service time in milliseconds. */
  now: () => number;
  /** The setting of the same name. */
  isAuthenticated: boolean;
}

/** The client closed the connection, but the action may have been carried out. */
const CLIENT_GONE = 499;
const hasDoneNothing = (status: number): boolean => status >= 400 && status < 500 && status !== CLIENT_GONE;

/**
 * Creates the function that records the actions of operators. Refused actions are not recorded, because they changed nothing.
 * If the log cannot be written, the action succeeds anyway, and the failure is logged.
 */
export const recordActions =
  ({ table, now, isAuthenticated }: RecordHttp): AnsweringDeps['record'] =>
  async (route, [request, { invocationId }], status) => {
    const { name: action } = route;
    if (!isAction(route) || hasDoneNothing(status)) return;
    const target = targetOf(request);
    try {
      const at = new Date(now()).toISOString();
      const detail = describeBody(bodyReadOf(request));
      const actor = actorOf(request.headers, isAuthenticated);
      await recordAction(table(), { at, action, target, ...actor, detail, status }, invocationId);
    } catch (error) {
      log.error('action-not-recorded', { action, target, error: toError(error) });
    }
  };

/** Handlers check names. This bounds the length in case one of them does not. */
const MAX_TARGET = 1_024;

function targetOf(request: HttpRequest): string {
  const { queue, id } = request.params;
  const body = bodyReadOf(request) as { name?: unknown } | undefined;
  const file = request.query.get('name') ?? body?.name;
  return String(queue ?? id ?? file ?? '').slice(0, MAX_TARGET);
}

/** Of a longer list, the description contains only the size. */
const MAX_LISTED = 5;
const MAX_DETAIL = 300;
/** Fields that do not describe the action: its target, and its safeguards. */
const OMITTED = new Set(['key', 'confirm', 'name']);
/** `items: 20` could be read as a number of items. */
const SHOWN_AS: Readonly<Record<string, string>> = { items: 'positions' };

/**
 * Describes the JSON body of a request, such as `reason: database is down`, `positions: 17, 4711`, `corrected: 12 entries`. No item
 * of a batch is stored in the audit log.
 */
export function describeBody(body: unknown): string {
  if (typeof body !== 'object' || body === null) return '';
  const parts = Object.entries(body)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `${SHOWN_AS[name] ?? name}: ${describe(value)}`);
  return storableLine(parts.join('; ').replaceAll(/\p{C}/gu, ' '), MAX_DETAIL);
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null;

function describe(value: unknown): string {
  if (isPlain(value)) return String(value);
  if (!Array.isArray(value)) return `fields ${Object.keys(value as object).join(', ')}`;
  return value.length <= MAX_LISTED && value.every(isPlain) ? value.join(', ') : entries(value.length);
}

const entries = (count: number): string => (count === 1 ? '1 entry' : `${count} entries`);

/** A name, and whether Microsoft Entra ID has verified it. */
export interface Actor {
  by: string;
  verified: boolean;
}

const MAX_NAME = 80;
/** Claims that contain the name of a person or an application, by preference. `name_typ` represents the claim of that type. */
const NAMES = [
  'preferred_username',
  'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/upn',
  'name_typ',
  'name',
  'azp',
  'appid',
];

/**
 * Returns the actor of a request. `isAuthenticated` means that App Service authentication is in front of the app and sets
 * `x-ms-client-principal` itself; otherwise any client could forge that header. Without a principal, the actor is the name
 * that the request contains.
 */
export function actorOf(headers: { get(name: string): string | null }, isAuthenticated: boolean): Actor {
  const principal = isAuthenticated ? principalOf(headers.get('x-ms-client-principal') ?? '') : '';
  if (principal !== '') return { by: principal, verified: true };
  return { by: shown(decoded(headers.get('sluice-operator') ?? '')), verified: false };
}

/**
 * Base64 of JSON, with `name_typ` as the type of the claim to show. Source: Microsoft Learn:
 * configure-authentication-user-identities.
 */
function principalOf(header: string): string {
  const claims = claimsOf(header);
  const names = NAMES.map((type) => shown(claims.get(type) ?? ''));
  return names.find((name) => name !== '') ?? '';
}

function claimsOf(header: string): Map<string, string> {
  try {
    const { name_typ: nameType, claims } = JSON.parse(Buffer.from(header, 'base64').toString('utf8'));
    const found = new Map<string, string>();
    for (const { typ, val } of claims)
      found.set(typ === nameType && !NAMES.includes(typ) ? 'name_typ' : String(typ), String(val));
    return found;
  } catch {
    return new Map();
  }
}

/** Headers contain only Latin-1, so clients send `encodeURIComponent` of the name. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes control characters and those that change the direction of text. */
const shown = (text: string): string => storableLine(text.replaceAll(/\p{C}/gu, '').trim(), MAX_NAME);
