import { z } from 'zod';
import { COMPONENTS } from '../edge/schemas.ts';

const check = z.enum(['ok', 'failed']);

/** The health of the app. `checks` and `problems` of the storage are present only in a deep check. */
export const healthSchema = z
  .object({
    status: z.enum(['ok', 'failing']),
    pool: z.string().nullable().describe('null: the workloads of all pools'),
    instance: z
      .string()
      .nullable()
      .describe('The instance of the app that answers; null: the platform provides no name'),
    workloads: z.array(z.string()),
    checks: z.object({ table: check, queue: check, blob: check }).optional(),
    problems: z
      .array(z.object({ resource: z.string(), problem: z.string() }))
      .optional()
      .describe('Tables, containers and queues that are missing, deny access or do not answer'),
  })
  .register(COMPONENTS, { id: 'Health' });
export type Health = z.infer<typeof healthSchema>;
