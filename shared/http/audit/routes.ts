import { z } from 'zod';
import { ACTION_DAYS, isPlaceInLog, readActions } from '../../commands/audit-log.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { dayParameters } from '../edge/days.ts';
import { nextLink } from '../edge/links.ts';
import { daysOf, invalid, wholeOf } from '../edge/request/parameters.ts';
import { type Handle, jsonAnswer, NEXT, query, type Route, whole } from '../edge/route.ts';
import { COMPONENTS, count, time } from '../edge/schemas.ts';

const auditEntry = z.object({
  at: time,
  action: z.string().describe('Name of the function, such as pause-queue'),
  target: z.string().describe('The queue, batch id or file of the action. Empty if there is none'),
  by: z.string().describe('The name of the operator. Empty if it is not known'),
  verified: z
    .boolean()
    .describe('Whether Microsoft Entra ID has verified the name; false: the name is unverified text of the request'),
  detail: z.string().describe('Reason or selection, as text'),
  status: count.describe('HTTP status of the response'),
});
export type AuditEntry = z.infer<typeof auditEntry>;

export const auditSchema = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    entries: z.array(auditEntry),
  })
  .register(COMPONENTS, { id: 'Audit' });
export type Audit = z.infer<typeof auditSchema>;

/** Without days, the answer covers the last seven, like a listing of batches. */
const DAYS = { fallback: 7, most: ACTION_DAYS + 1 };
const LIMIT = query('limit', 'Maximum number of entries', whole(1, 1_000, 200));

/** GET audit: the actions of operators, newest first. */
export const getAudit: Handle<Pick<Reads, 'table' | 'gate'>> = async ({ table, gate }, request) => {
  const { from, to } = daysOf(request, { nowMs: gate.now(), ...DAYS });
  const limit = wholeOf(request, LIMIT);
  const target = request.query.get('target') ?? undefined;
  const after = request.query.get('after') ?? undefined;
  if (after !== undefined && !isPlaceInLog(after))
    throw invalid('after', 'the value in a link to the next page', after);
  const { actions: entries, next } = await readActions(table, { from, to, target, after, limit });
  const audit: Audit = { from, to, entries };
  // With its days, the link means the same ones tomorrow.
  return json(audit, { headers: nextLink(request, { from, to, after: next }) });
};

const ENTRY = {
  ...{ at: '2026-11-22T09:14:03.120Z', action: 'pause-queue', target: 'billing-normal-0', status: 200 },
  ...{ by: 'Ada Lovelace', verified: false, detail: 'reason: database is down' },
};

export const AUDIT_ROUTES = [
  {
    name: 'get-audit',
    method: 'GET',
    path: 'audit',
    audience: ['operator'],
    summary: 'The actions of operators, newest first',
    parameters: [
      ...dayParameters(DAYS),
      query('target', 'Only actions on this queue, batch or file'),
      query('after', 'Continue after this place, from a link to the next page'),
      LIMIT,
    ],
    answers: [
      jsonAnswer(200, 'The actions', auditSchema, {
        headers: NEXT,
        example: { from: '2026-11-16', to: '2026-11-22', entries: [ENTRY] },
      }),
    ],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => getAudit(app.deps(), request),
  },
] as const satisfies readonly Route[];
