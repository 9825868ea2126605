/** The workloads of the bench's app: the app's own billing, and a probe that tells when it ran. */
import { createRegistry } from '../../shared/workload/registry.ts';
import billing from '../../workloads/billing.ts';
import { probe } from './probe.ts';

export const registry = createRegistry([billing, probe]);
