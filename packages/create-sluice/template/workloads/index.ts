import { createRegistry } from 'sluice';
import billing from './billing.ts';

/** Every workload of the app. To add one: npm run new-workload -- NAME --from FILE. */
export const registry = createRegistry([billing]);
