/** The parts of an app copy for fault tests; more activities at a time, because its runs share a host. */
export const FAULT_APP = {
  activities: 8,
  project: 'tests/faults/tsconfig.json',
  registry: 'tests/faults/app/registry.ts',
} as const;
