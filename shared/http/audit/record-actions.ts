import type { HttpRequest } from '@azure/functions';
import { recordAction } from '../../commands/audit-log.ts';
import { toError } from '../../errors.ts';
import type { Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import type { AnsweringDeps } from '../edge/answers.ts';
import { bodyReadOf } from '../edge/request/json-body.ts';
import { isAction } from '../edge/route.ts';
import { actorOf } from './actor.ts';
import { describeBody } from './describe-body.ts';

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
