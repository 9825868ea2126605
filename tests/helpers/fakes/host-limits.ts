import type { HostLimits } from '../../../shared/drain/host-limits.ts';

/** The limits of a small host. */
export const HOST: HostLimits = {
  concurrentActivities: 2,
  activityVisibilitySeconds: 60,
  functionSeconds: 600,
  durableBackend: 'azureStorage',
};
