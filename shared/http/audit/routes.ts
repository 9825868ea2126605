import { dayParameters } from '../edge/days.ts';
import { JSON_TYPE, NEXT, query, type Route, whole } from '../edge/route.ts';
import { AUDIT_DAYS, getAudit } from './get-audit.ts';
import { auditSchema } from './schemas.ts';

const ENTRY = {
  ...{ at: '2026-11-22T09:14:03.120Z', action: 'pause-queue', target: 'billing-normal-0', status: 200 },
  ...{ by: 'Ada Lovelace', verified: false, detail: 'reason: database is down' },
};

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
      query('after', 'Continue after this place, from a link to the next page'),
      query('limit', 'Maximum number of entries', whole(1, 1_000, 200)),
    ],
    answers: [
      {
        status: 200,
        description: 'The actions',
        content: { [JSON_TYPE]: auditSchema },
        headers: NEXT,
        example: { from: '2026-11-16', to: '2026-11-22', entries: [ENTRY] },
      },
    ],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => getAudit({ table: app.deps().table, now: app.meter.serviceNowMs }, request),
  },
] as const satisfies readonly Route[];
