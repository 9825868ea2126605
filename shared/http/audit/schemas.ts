/** The answers of the route of the audit log. */
import { z } from 'zod';
import { COMPONENTS, count, time } from '../edge/schemas.ts';

/** An action of an operator. */
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

/** The actions of operators, newest first. */
export const auditSchema = z
  .object({
    from: z.iso.date(),
    to: z.iso.date(),
    entries: z.array(auditEntry),
  })
  .register(COMPONENTS, { id: 'Audit' });
export type Audit = z.infer<typeof auditSchema>;
