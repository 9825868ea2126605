/** The mail provider of docs/recipes.md, with a minute shortened to six seconds. Replaces the app's own workloads. */
import { createRegistry } from '../../../../shared/workload/registry.ts';
import mail from '../../../recipes/mail.ts';

export const registry = createRegistry([
  { ...mail, rateLimit: { calls: 200, perSeconds: 6 }, retry: { ...mail.retry, firstDelaySeconds: 1 } },
]);
