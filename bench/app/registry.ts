/** The workloads of the bench's app: the app's own billing, a probe that tells when it ran, and handlers that wait. */
import { createRegistry } from '../../shared/workload/registry.ts';
import billing from '../../workloads/billing.ts';
import { probe } from './probe.ts';
import { waiting } from './waiting.ts';

export const registry = createRegistry([billing, probe, ...waiting]);
