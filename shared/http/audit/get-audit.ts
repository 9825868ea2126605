import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { ACTION_DAYS, isPlaceInLog, readActions } from '../../commands/audit-log.ts';
import { Problem } from '../../errors.ts';
import type { Table } from '../../storage/table.ts';
import { json } from '../edge/answers.ts';
import { nextLink } from '../edge/links.ts';
import { daysOf, wholeOf } from '../edge/request/parameters.ts';
import type { Audit } from './schemas.ts';

export interface AuditHttp {
  table: Table;
  /** Service time in milliseconds. */
  now: () => number;
}

/** Without days, the answer covers the last seven, like a listing of batches. */
export const AUDIT_DAYS = { fallback: 7, most: ACTION_DAYS + 1 };
const LIMIT = { min: 1, max: 1_000, fallback: 200 };

/** GET audit: the actions of operators, newest first. */
export async function getAudit({ table, now }: AuditHttp, request: HttpRequest): Promise<HttpResponseInit> {
  const { from, to } = daysOf(request, { nowMs: now(), ...AUDIT_DAYS });
  const limit = wholeOf(request, 'limit', LIMIT);
  const target = request.query.get('target') ?? undefined;
  const after = request.query.get('after') ?? undefined;
  if (after !== undefined && !isPlaceInLog(after))
    throw new Problem('invalid-parameter', 'after must be the value in a link to the next page.');
  const { actions: entries, next } = await readActions(table, { from, to, target, after, limit });
  const audit: Audit = { from, to, entries };
  // With its days, the link means the same ones tomorrow.
  return json(audit, { headers: nextLink(request, next === undefined ? undefined : { from, to, after: next }) });
}
