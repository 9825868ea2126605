import { z } from 'zod';

const check = z.enum(['ok', 'failed']);

/** Whether the app answers; `checks` of the storage behind it, and what is wrong there, only when asked for. */
export const healthSchema = z.object({
  status: z.enum(['ok', 'failing']),
  pool: z.string().nullable().describe('null: the workloads of all pools'),
  instance: z.string().nullable().describe('The instance of the app that answers; null: the platform gives none'),
  workloads: z.array(z.string()),
  checks: z.object({ table: check, queue: check, blob: check }).optional(),
  problems: z
    .array(z.object({ resource: z.string(), problem: z.string() }))
    .optional()
    .describe('Tables, containers and queues that are missing, deny access or do not answer'),
});
export type Health = z.infer<typeof healthSchema>;
