import type { HttpRequest } from '@azure/functions';
import { recordAction } from '../../commands/audit-log.ts';
import type { Operations } from '../../contract/operations.ts';
import { executionOf } from '../../cost/executions.ts';
import { toError } from '../../errors.ts';
import type { Table } from '../../storage/table.ts';
import { log } from '../../telemetry/log.ts';
import type { AnsweringDeps } from '../edge/answers.ts';
import { bodyReadOf } from '../edge/request/json-body.ts';
import { ROUTES } from '../routes.ts';
import { actorOf } from './actor.ts';
import { describeBody } from './describe-body.ts';

export interface RecordHttp {
  table: () => Table;
  /** Service time in milliseconds. */
  now: () => number;
  /** As the setting of that name. */
  isAuthenticated: boolean;
}

/** Functions that an operator changes something with. */
const ACTIONS: ReadonlySet<string> = new Set(
  ROUTES.filter(({ audience, method }) => audience === 'operator' && method !== 'GET').map(({ name }) => name),
);

/** What a request that is recorded costs beside what its handler does: the entry, and its execution. */
const RECORDED: Operations = { 'table.insert': 1, ...executionOf(0) };

/** What `recordActions` does for a function that succeeds, with its execution; nothing for one that changes nothing. */
export const recording: AnsweringDeps['recording'] = ([, { functionName }]) =>
  ACTIONS.has(functionName) ? RECORDED : {};

/** The client closed the connection: its action may have been done. */
const CLIENT_GONE = 499;
const hasDoneNothing = (status: number): boolean => status >= 400 && status < 500 && status !== CLIENT_GONE;

/**
 * Makes what records the actions of operators. What was refused is not recorded, since it has changed nothing. When the log
 * cannot be written, the action is done anyway: that is logged.
 */
export const recordActions =
  ({ table, now, isAuthenticated }: RecordHttp): AnsweringDeps['record'] =>
  async ([request, { functionName: action, invocationId }], status) => {
    if (!ACTIONS.has(action) || hasDoneNothing(status)) return;
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

/** Names are checked by the handlers; this one bounds what a test of its own may miss. */
const MAX_TARGET = 1_024;

function targetOf(request: HttpRequest): string {
  const { queue, id } = request.params;
  const body = bodyReadOf(request) as { name?: unknown } | undefined;
  const file = request.query.get('name') ?? body?.name;
  return String(queue ?? id ?? file ?? '').slice(0, MAX_TARGET);
}
