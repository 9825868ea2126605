import { dayParameters } from '../edge/days.ts';
import { JSON_TYPE, query, type Route, whole } from '../edge/route.ts';
import { AUDIT_DAYS, getAudit } from './get-audit.ts';
import { auditSchema } from './schemas.ts';

/** The route of the audit log. */
export const AUDIT_ROUTES = [
  {
    name: 'get-audit',
    method: 'GET',
    path: 'audit',
    audience: ['operator'],
    summary: 'The actions of operators, newest first',
    parameters: [
      ...dayParameters(AUDIT_DAYS),
      query('target', 'Only actions on this queue, batch or file'),
      query('limit', 'Maximum number of entries', whole(1, 1_000, 200)),
    ],
    answers: [{ status: 200, description: 'The actions', content: { [JSON_TYPE]: auditSchema } }],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => getAudit({ table: app.deps().table, now: app.meter.serviceNowMs }, request),
  },
] as const satisfies readonly Route[];
