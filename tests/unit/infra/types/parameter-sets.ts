import type { Parameters } from '../expand/index.ts';

const pool = (name: string, more: Parameters = {}): Parameters => ({
  name,
  memory: 2048,
  maximumInstanceCount: 40,
  alwaysReady: [],
  ...more,
});
const operator = { operatorPrincipalId: '00000000-0000-0000-0000-000000000002', operatorPrincipalType: 'Group' };

/** The deployments that are checked as a whole, by what is special about them. */
export const PARAMETER_SETS: Readonly<Record<string, Parameters>> = {
  'the defaults': {},
  'the Durable Task Scheduler': { durableBackend: 'DurableTaskScheduler' },
  'one pool': { pools: [pool('default')] },
  'several pools, one always ready': {
    pools: [
      pool('default', { alwaysReady: [{ name: 'http', instanceCount: 1 }] }),
      pool('media', { memory: 4096, maximumInstanceCount: 1000 }),
      pool('small', { memory: 512 }),
    ],
  },
  'an operator and a mailbox for alerts': { ...operator, alertEmail: 'operator@example.com' },
  'no alert rules': { alertRules: false },
};
