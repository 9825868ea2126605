import type { Parameters } from './deployed.ts';

const pool = (name: string, more: Parameters = {}): Parameters => ({
  name,
  memory: 2048,
  maximumInstanceCount: 40,
  alwaysReady: [],
  ...more,
});
const operator = { operatorPrincipalId: '00000000-0000-0000-0000-000000000002', operatorPrincipalType: 'Group' };

/** The parameter sets of the deployments that are checked as a whole, by description. */
export const PARAMETER_SETS: Readonly<Record<string, Parameters>> = {
  'the defaults': {},
  'the Durable Task Scheduler': { durableBackend: 'azureManaged' },
  'one pool': { pools: [pool('default')] },
  'several pools, one always ready': {
    pools: [
      pool('default', { alwaysReady: [{ name: 'http', instanceCount: 1 }] }),
      pool('media', { memory: 4096, maximumInstanceCount: 1000 }),
      pool('small'),
    ],
  },
  'an operator and a mailbox for alerts': { ...operator, alertEmail: 'operator@example.com' },
  'no alert rules': { alertRules: false },
  'private networking': { privateNetworking: true },
  'private networking, several pools': {
    privateNetworking: true,
    pools: [pool('default'), pool('media'), pool('bus')],
  },
  'zone redundancy': { zoneRedundant: true },
  'everything that an enterprise may ask for': {
    ...operator,
    privateNetworking: true,
    zoneRedundant: true,
    diagnosticSettings: true,
    deleteLocks: true,
    tags: { 'cost-center': '4711' },
    alertEmail: 'operator@example.com',
    actionGroupIds: [
      '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/rg-others/providers/Microsoft.Insights/actionGroups/ag-others',
    ],
    monthlyBudget: 100,
    budgetStart: '2026-11-01',
  },
};
