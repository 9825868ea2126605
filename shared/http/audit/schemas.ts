/** What the route of the audit log answers with. */
import { z } from 'zod';
import { count, time } from '../edge/schemas.ts';

/** Something that an operator has done. */
const auditEntry = z.object({
  at: time,
  action: z.string().describe('Name of the function, such as pause-queue'),
  target: z.string().describe('Queue, batch id or file that it was done to; empty: none in particular'),
  by: z.string().describe('Empty: not known'),
  verified: z
    .boolean()
    .describe('Whether Microsoft Entra ID has signed the name in; false: it is as the request gave it'),
  detail: z.string().describe('Reason or selection, in words'),
  status: count.describe('HTTP status of the response'),
});
export type AuditEntry = z.infer<typeof auditEntry>;

/** What operators have done, newest first. */
export const auditSchema = z.object({
  from: z.iso.date(),
  to: z.iso.date(),
  entries: z.array(auditEntry),
});
export type Audit = z.infer<typeof auditSchema>;
