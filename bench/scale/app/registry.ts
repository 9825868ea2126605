/** The workloads of the scale measurements: the app's own billing, and a handler that waits. */
import { createRegistry } from '../../../shared/workload/registry.ts';
import billing from '../../../workloads/billing.ts';
import { scaled } from './waiting.ts';

export const registry = createRegistry([billing, scaled]);
