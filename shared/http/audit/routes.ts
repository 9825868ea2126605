import { dayParameters } from '../edge/days.ts';
import { JSON_TYPE, query, type Route, whole } from '../edge/route.ts';
import { AUDIT_DAYS } from './get-audit.ts';
import { auditSchema } from './schemas.ts';

/** The route of the audit log. */
export const AUDIT_ROUTES: readonly Route[] = [
  {
    name: 'get-audit',
    method: 'GET',
    route: 'audit',
    audience: 'operator',
    summary: 'The actions of operators, newest first',
    parameters: [
      ...dayParameters(AUDIT_DAYS),
      query('target', 'Only actions on this queue, batch or file'),
      query('limit', 'Maximum number of entries', whole(1, 1_000, 200)),
    ],
    answers: [{ status: 200, description: 'The actions', content: { [JSON_TYPE]: auditSchema } }],
    problems: ['invalid-parameter'],
  },
];
