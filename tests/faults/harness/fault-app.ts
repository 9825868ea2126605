/** What a copy of the app is made of for fault tests; more activities at a time, for its runs share a host. */
export const FAULT_APP = {
  activities: 8,
  project: 'tests/faults/tsconfig.json',
  registry: 'tests/faults/app/registry.ts',
} as const;
