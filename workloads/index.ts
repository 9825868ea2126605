import { createRegistry } from 'sluice';
import billing from './billing.ts';
import media from './media.ts';
import payouts from './payouts.ts';

/**
 * Every workload of the app. To add one, create a file beside this one and add it here; its queues and routes follow.
 */
export const registry = createRegistry([billing, payouts, media]);
