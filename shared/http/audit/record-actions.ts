import type { HttpRequest } from '@azure/functions';
import { recordAction } from '../../commands/audit-log.ts';
import { storableLine } from '../../contract/text/text.ts';
import { toError } from '../../errors.ts';
import type { Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import type { AnsweringDeps } from '../edge/answers.ts';
import { bodyReadOf } from '../edge/request/json-body.ts';
import { isAction } from '../edge/route.ts';
import { actorOf } from './actor.ts';

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
