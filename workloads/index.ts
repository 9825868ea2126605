import { createRegistry } from '../shared/workload/registry.ts';
import billing from './billing.ts';
import media from './media.ts';
import payouts from './payouts.ts';

/** Every workload of the app. A new one is a file beside this one, and a line here; queues and routes follow. */
export const registry = createRegistry([billing, payouts, media]);
