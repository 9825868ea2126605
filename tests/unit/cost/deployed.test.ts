import type { DeployedResource } from 'bicep-check';
import { describe, expect, it } from 'vitest';
import host from '../../../host.json' with { type: 'json' };
import { alertRules, DEFAULT_DEPLOYMENT, type Deployment, privateNetwork } from '../../../shared/cost/deployed.ts';
import { minutesOf } from '../../../shared/cost/period.ts';
import { DURABLE_POLL_SECONDS } from '../../../tools/cost/model/sluice-month.ts';
import { appSettings, deployedResources, ofType, type Parameters } from '../infra/deployed.ts';
import { PARAMETER_SETS } from '../infra/parameter-sets.ts';

/** Types that have a line in the idle bill. */
const BILLED = [
  'Microsoft.Web/sites',
  'Microsoft.ServiceBus/namespaces',
  'Microsoft.Insights/scheduledQueryRules',
  'Microsoft.Insights/metricAlerts',
  'Microsoft.OperationalInsights/workspaces',
  'Microsoft.Storage/storageAccounts',
  'Microsoft.DurableTask/schedulers',
  'Microsoft.Network/privateEndpoints',
  'Microsoft.Network/privateDnsZones',
];
/** Types without a separate charge: they configure or group others, or are billed through the use of others. */
const FREE = [
  'Microsoft.Resources/resourceGroups',
  'Microsoft.Authorization/roleAssignments',
  'Microsoft.Authorization/locks',
  'Microsoft.ManagedIdentity/userAssignedIdentities',
  'Microsoft.Web/serverfarms',
  'Microsoft.Web/sites/basicPublishingCredentialsPolicies',
  'Microsoft.Storage/storageAccounts/blobServices',
  'Microsoft.Storage/storageAccounts/blobServices/containers',
  'Microsoft.Storage/storageAccounts/tableServices',
  'Microsoft.Storage/storageAccounts/tableServices/tables',
  'Microsoft.Storage/storageAccounts/managementPolicies',
  'Microsoft.ServiceBus/namespaces/topics',
  'Microsoft.ServiceBus/namespaces/topics/subscriptions',
  'Microsoft.ServiceBus/namespaces/topics/subscriptions/rules',
  'Microsoft.DurableTask/schedulers/taskHubs',
  'Microsoft.DurableTask/schedulers/retentionPolicies',
  // Telemetry is billed by the workspace that receives it.
  'Microsoft.Insights/components',
  'Microsoft.Insights/workbooks',
  // Billed per notification; the first thousand mails of a month are free.
  'Microsoft.Insights/actionGroups',
  'Microsoft.Insights/diagnosticSettings',
  'Microsoft.Consumption/budgets',
  'Microsoft.Network/virtualNetworks',
  'Microsoft.Network/virtualNetworks/subnets',
  'Microsoft.Network/networkSecurityGroups',
  'Microsoft.Network/privateEndpoints/privateDnsZoneGroups',
  'Microsoft.Network/privateDnsZones/virtualNetworkLinks',
];

/** Parameters that add resources. */
const CHOICES: Record<string, Parameters> = {
  ...PARAMETER_SETS,
  'a private network': { privateNetworking: true },
  'everything that watches and guards': {
    ...{ alertEmail: 'a@example.com', diagnosticSettings: true, deleteLocks: true },
    ...{ monthlyBudget: 100, budgetStart: '2026-11-01' },
  },
};

type Scale = { instanceMemoryMB: number; alwaysReady: { instanceCount: number }[] };
const scaleOf = ({ properties }: DeployedResource): Scale =>
  (properties.functionAppConfig as unknown as { scaleAndConcurrency: Scale }).scaleAndConcurrency;

/** Returns the one value that all have. Several values are not supported by the model. */
function only<T>(values: readonly T[]): T {
  const [first, ...others] = new Set(values);
  if (first === undefined || others.length > 0) throw new Error(`Expected one value, got ${JSON.stringify(values)}`);
  return first;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, n) => all + n, 0);

/** The properties of a template that the idle bill depends on. */
function deploymentOf(parameters: Parameters = {}): Deployment {
  const resources = deployedResources(parameters);
  const apps = ofType(resources, 'Microsoft.Web/sites');
  const settings = Object.values(appSettings(resources));
  const minutes = (name: string) => only(settings.map((of) => minutesOf(of[name] ?? '') ?? 0));
  const rules = ofType(resources, 'Microsoft.Insights/scheduledQueryRules');
  return {
    pools: apps.length,
    memoryMb: only(apps.map((app) => scaleOf(app).instanceMemoryMB)) as Deployment['memoryMb'],
    alwaysReady: sum(apps.flatMap((app) => scaleOf(app).alwaysReady.map(({ instanceCount }) => instanceCount))),
    backend: ofType(resources, 'Microsoft.DurableTask/schedulers').length > 0 ? 'dts' : 'azureStorage',
    partitionCount: host.extensions.durableTask.storageProvider.partitionCount,
    sweepMinutes: minutes('SLUICE_SWEEP_SCHEDULE'),
    inboxMinutes: minutes('SLUICE_INBOX_SCHEDULE'),
    hasAlerts: rules.length > 0,
    isPrivate: only(ofType(resources, 'Microsoft.ServiceBus/namespaces').map(tierOf)) === 'Premium',
  };
}
const tierOf = ({ body }: DeployedResource): unknown => (body.sku as unknown as { tier: string }).tier;

describe('the deployment in the idle bill', () => {
  it('matches the templates without parameters', () => {
    expect(deploymentOf()).toEqual(DEFAULT_DEPLOYMENT);
  });

  it('matches the templates with the Durable Task Scheduler', () => {
    expect(deploymentOf({ durableBackend: 'azureManaged' })).toEqual({ ...DEFAULT_DEPLOYMENT, backend: 'dts' });
  });

  it('matches the templates with one pool with an always-ready instance of 4 GB, without alerts and inbox', () => {
    const pool = {
      ...{ name: 'default', memory: 4_096, maximumInstanceCount: 40 },
      alwaysReady: [{ name: 'http', instanceCount: 1 }],
    };

    expect(deploymentOf({ pools: [pool], alertRules: false, inboxSchedule: '' })).toEqual({
      ...DEFAULT_DEPLOYMENT,
      ...{ pools: 1, memoryMb: 4_096, alwaysReady: 1, inboxMinutes: 0, hasAlerts: false },
    });
  });

  it('matches the templates in a private network', () => {
    expect(deploymentOf({ privateNetworking: true })).toEqual({ ...DEFAULT_DEPLOYMENT, isPrivate: true });
  });

  it.each([1, 2, 3])('has the alert rules and the private network of %i pools', (pools) => {
    const names = Array.from({ length: pools }, (_, index) => `pool${index}`);
    const settings = { memory: 2_048, maximumInstanceCount: 40, alwaysReady: [] };
    const parameters = { pools: names.map((name) => ({ name, ...settings })), privateNetworking: true };
    const resources = deployedResources(parameters);
    const count = (type: string) => ofType(resources, type).length;
    const rules = ofType(resources, 'Microsoft.Insights/scheduledQueryRules');
    const series = ofType(resources, 'Microsoft.Insights/metricAlerts').map(({ properties }) => {
      const { scopes, criteria } = properties as unknown as { scopes: unknown[]; criteria: { allOf: unknown[] } };
      return scopes.length * criteria.allOf.length;
    });

    expect(alertRules({ hasAlerts: true, pools })).toEqual({ log: rules.length, metric: sum(series) });
    // Rules that are evaluated more often cost more than the price class covers.
    expect(new Set(rules.map(({ properties }) => properties.evaluationFrequency))).toEqual(new Set(['PT15M']));
    expect(privateNetwork({ ...DEFAULT_DEPLOYMENT, isPrivate: true, pools })).toEqual({
      endpoints: count('Microsoft.Network/privateEndpoints'),
      zones: count('Microsoft.Network/privateDnsZones'),
    });
  });

  it.each(Object.entries(CHOICES))('covers each type of resource with %s', (_, parameters) => {
    const types = new Set(deployedResources(parameters).map(({ type }) => type));

    expect([...types].filter((type) => ![...BILLED, ...FREE].includes(type))).toEqual([]);
  });

  it('has no private network by default', () => {
    expect(privateNetwork(DEFAULT_DEPLOYMENT)).toEqual({ endpoints: 0, zones: 0 });
    expect(ofType(deployedResources(), 'Microsoft.Network/privateEndpoints')).toEqual([]);
  });
});

it('polls the durable queues at the interval of host.json', () => {
  const { maxQueuePollingInterval } = host.extensions.durableTask.storageProvider;
  expect(maxQueuePollingInterval).toBe(`00:00:0${DURABLE_POLL_SECONDS}`);
});
