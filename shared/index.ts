/** What workload files import as `sluice`. docs/workloads.md is the guide. */
export type { Container } from './workload/container.ts';
export * from './workload/define.ts';
export { Reject, Retry, WorkloadDefinitionError } from './workload/errors.ts';
export { createRegistry, type Registry } from './workload/registry.ts';
