/**
 * The workloads of the bench's app: the app's own billing, a probe that reports when it ran, handlers that wait, and
 * billing with rate limits.
 */
import { createRegistry } from '../../shared/workload/registry.ts';
import billing from '../../workloads/billing.ts';
import { limited } from './limited.ts';
import { probe } from './probe.ts';
import { waiting } from './waiting.ts';

export const registry = createRegistry([billing, probe, ...waiting, ...limited]);
