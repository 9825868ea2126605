import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { ACTION_DAYS, readActions } from '../../commands/audit-log.ts';
import type { Table } from '../../storage/table.ts';
import { json } from '../edge/answers.ts';
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
  const audit: Audit = { from, to, entries: await readActions(table, { from, to, target, limit }) };
  return json(audit);
}
