/** Tests the optional parameters with the expanded template; private-networking.test.ts tests private networking. */

import { checkAgainstRecord, type DeployedResource, faultsOf } from 'bicep-check';
import { describe, expect, it } from 'vitest';
import { deployedResources, ofType, type Parameters, parameterFile, readRecord } from './deployed.ts';
import { names, property } from './resources.ts';

const GROUP_OF_OTHERS = '/subscriptions/a/resourceGroups/b/providers/Microsoft.Insights/actionGroups/ag-others';

/** Returns the id with which another resource refers to this one. */
const idOf = (type: string, name: string): string => `[reference(${type} ${name}).id]`;
const differences = (parameters: Parameters): string[] => {
  const before = new Set(deployedResources().map(({ type, name }) => `${type} ${name}`));
  const added = deployedResources(parameters).filter(({ type, name }) => !before.has(`${type} ${name}`));
  return [...new Set(added.map(({ type }) => type))].sort();
};

describe('the variables of infra/main.bicepparam', () => {
  const read = (environment: Record<string, string>): Parameters => parameterFile(environment).parameters;

  it('are converted to the types of the parameters', () => {
    const parameters = read({
      SLUICE_PRIVATE_NETWORKING: 'true',
      SLUICE_ADDRESS_SPACE: '10.1.0.0/24',
      SLUICE_ZONE_REDUNDANT: 'true',
      SLUICE_DIAGNOSTIC_SETTINGS: 'true',
      SLUICE_ACTION_GROUP_IDS: `${GROUP_OF_OTHERS},${GROUP_OF_OTHERS}-2`,
      SLUICE_MONTHLY_BUDGET: '250',
      SLUICE_BUDGET_START: '2026-11-01',
      SLUICE_DELETE_LOCKS: 'true',
      SLUICE_TAGS: '{"cost-center":"4711"}',
    });
    expect(parameters).toMatchObject({
      privateNetworking: true,
      addressSpace: '10.1.0.0/24',
      zoneRedundant: true,
      diagnosticSettings: true,
      actionGroupIds: [GROUP_OF_OTHERS, `${GROUP_OF_OTHERS}-2`],
      monthlyBudget: 250,
      budgetStart: '2026-11-01',
      deleteLocks: true,
      tags: { 'cost-center': '4711' },
    });
    expect(() => deployedResources(parameters)).not.toThrow();
  });

  it('can all be omitted: no action group, no tags, no budget', () => {
    expect(read({})).toMatchObject({ actionGroupIds: [], tags: {}, monthlyBudget: 0 });
  });
});

describe('the update strategy', () => {
  const configs = (resources: readonly DeployedResource[]): unknown[] =>
    property([...resources], 'Microsoft.Web/sites', 'functionAppConfig').map(
      (config) => (config as { siteUpdateStrategy?: object }).siteUpdateStrategy,
    );

  it('is sent only if it is not the default of the platform, because the type definitions do not have it yet', () => {
    const resources = deployedResources({ siteUpdateStrategy: 'RollingUpdate' });
    expect(new Set(configs(resources).map((one) => JSON.stringify(one)))).toEqual(
      new Set(['{"type":"RollingUpdate"}']),
    );
    expect(configs(deployedResources())).toEqual([undefined, undefined]);
    // If this fails, the definitions have it: add the strategy to the sets of parameters, and always send it.
    const faults = faultsOf(resources, (one) => checkAgainstRecord(one, readRecord()));
    expect(faults.length).toBeGreaterThan(0);
    expect(faults.filter((fault) => !fault.includes('siteUpdateStrategy'))).toEqual([]);
  });
});

describe('a deployment with its defaults', () => {
  const resources = deployedResources();

  it('has no network, budget, lock or diagnostic settings, and Service Bus Standard', () => {
    const types = new Set(resources.map(({ type }) => type.replace(/(?<=^Microsoft\.Network).*/, '')));
    for (const type of [
      'Microsoft.Network',
      'Microsoft.Consumption/budgets',
      'Microsoft.Authorization/locks',
      'Microsoft.Insights/diagnosticSettings',
      'Microsoft.Insights/actionGroups',
    ]) {
      expect(types).not.toContain(type);
    }
    const [bus] = ofType(resources, 'Microsoft.ServiceBus/namespaces');
    expect(bus?.body.sku).toEqual({ name: 'Standard', tier: 'Standard' });
  });
});

describe('zoneRedundant', () => {
  const resources = deployedResources({ zoneRedundant: true });
  const skus = (parameters: Parameters): unknown[] =>
    ofType(deployedResources(parameters), 'Microsoft.Storage/storageAccounts').map(({ body }) => body.sku);

  it('makes every plan and both accounts zone-redundant', () => {
    expect(property(resources, 'Microsoft.Web/serverfarms', 'zoneRedundant')).toEqual([true, true]);
    expect(skus({ zoneRedundant: true })).toEqual(Array(2).fill({ name: 'Standard_ZRS' }));
    expect(skus({ zoneRedundant: true, storageSku: 'Standard_LRS' })).toEqual(Array(2).fill({ name: 'Standard_ZRS' }));
  });

  it('is off by default', () => {
    expect(property(deployedResources(), 'Microsoft.Web/serverfarms', 'zoneRedundant')).toEqual([false, false]);
    expect(skus({})).toEqual(Array(2).fill({ name: 'Standard_LRS' }));
    expect(skus({ storageSku: 'Standard_ZRS' })).toEqual(Array(2).fill({ name: 'Standard_ZRS' }));
  });

  it('does not change Service Bus, which is always zone-redundant', () => {
    expect(property(resources, 'Microsoft.ServiceBus/namespaces', 'zoneRedundant')).toEqual([undefined]);
  });
});

describe('tags', () => {
  /** Types whose API does not support tags. */
  const UNTAGGED = [
    'Microsoft.Authorization/locks',
    'Microsoft.Authorization/roleAssignments',
    'Microsoft.Consumption/budgets',
    'Microsoft.DurableTask/schedulers/retentionPolicies',
    'Microsoft.DurableTask/schedulers/taskHubs',
    'Microsoft.Insights/diagnosticSettings',
    'Microsoft.Network/privateEndpoints/privateDnsZoneGroups',
    'Microsoft.ServiceBus/namespaces/topics',
    'Microsoft.ServiceBus/namespaces/topics/subscriptions',
    'Microsoft.ServiceBus/namespaces/topics/subscriptions/rules',
    'Microsoft.Storage/storageAccounts/blobServices',
    'Microsoft.Storage/storageAccounts/blobServices/containers',
    'Microsoft.Storage/storageAccounts/managementPolicies',
    'Microsoft.Storage/storageAccounts/tableServices',
    'Microsoft.Storage/storageAccounts/tableServices/tables',
    'Microsoft.Web/sites/basicPublishingCredentialsPolicies',
  ];
  const tags = { 'cost-center': '4711', 'azd-env-name': 'not this' };
  const resources = [
    ...deployedResources({
      tags,
      privateNetworking: true,
      diagnosticSettings: true,
      deleteLocks: true,
      alertEmail: 'operator@example.com',
      monthlyBudget: 1,
      budgetStart: '2026-11-01',
    }),
    ...deployedResources({ tags, durableBackend: 'azureManaged' }),
  ];

  it('are set on every resource that supports tags, in addition to the tag of azd', () => {
    const tagged = resources.filter(({ type }) => !UNTAGGED.includes(type));
    const expected = { 'cost-center': '4711', 'azd-env-name': 'sluice' };
    expect(tagged.filter((one) => !contains(one.tags, expected)).map(({ type, name }) => `${type} ${name}`)).toEqual(
      [],
    );
    expect(new Set(tagged.map(({ type }) => type)).size).toBeGreaterThan(15);
  });

  it('do not replace the tag by which azd finds the app of a pool', () => {
    const services = ofType(deployedResources({ tags }), 'Microsoft.Web/sites').map((app) => app.tags);
    expect(services.map((one) => one?.['azd-service-name'])).toEqual(['default', 'media']);
  });

  it('are not set on resources that do not support them', () => {
    expect(resources.filter((one) => UNTAGGED.includes(one.type) && one.tags !== undefined)).toEqual([]);
  });
});

describe('deleteLocks', () => {
  it('lock only both storage accounts against deletion', () => {
    const resources = deployedResources({ deleteLocks: true });
    const locks = ofType(resources, 'Microsoft.Authorization/locks');
    const accounts = names(resources, 'Microsoft.Storage/storageAccounts');
    expect(locks.map(({ scope }) => scope)).toEqual(
      accounts.map((name) => `Microsoft.Storage/storageAccounts ${name}`),
    );
    expect(locks.map(({ properties }) => properties.level)).toEqual(['CanNotDelete', 'CanNotDelete']);
    expect(differences({ deleteLocks: true })).toEqual(['Microsoft.Authorization/locks']);
  });
});

describe('monthlyBudget', () => {
  const budget = (parameters: Parameters): DeployedResource | undefined =>
    ofType(
      deployedResources({ monthlyBudget: 150, budgetStart: '2026-11-01', ...parameters }),
      'Microsoft.Consumption/budgets',
    )[0];

  it('calls every action group at 80 % of the actual and at 100 % of the forecasted cost', () => {
    const found = budget({ alertEmail: 'operator@example.com', actionGroupIds: [GROUP_OF_OTHERS] });
    expect(found?.properties).toMatchObject({
      category: 'Cost',
      amount: 150,
      timeGrain: 'Monthly',
      timePeriod: { startDate: '2026-11-01T00:00:00Z' },
    });
    const groups = [expect.stringMatching(/actionGroups ag-.*\)\]$/), GROUP_OF_OTHERS];
    expect(Object.values(found?.properties.notifications as object)).toMatchObject([
      { threshold: 80, thresholdType: 'Actual', enabled: true, contactGroups: groups },
      { threshold: 100, thresholdType: 'Forecasted', enabled: true, contactGroups: groups },
    ]);
  });

  it('applies to the resource group', () => {
    expect(budget({ alertEmail: 'a@example.com' })?.scope).toBe('Microsoft.Resources/resourceGroups rg-sluice');
  });

  it('is refused without a recipient and without its first month', () => {
    expect(() => budget({})).toThrow(/alertEmail or actionGroupIds/);
    expect(() => budget({ alertEmail: 'a@example.com', budgetStart: '' })).toThrow(/SLUICE_BUDGET_START/);
  });
});

describe('diagnosticSettings', () => {
  it('send logs and metrics of all storage services, the namespace and the apps to the workspace', () => {
    const resources = deployedResources({ diagnosticSettings: true });
    const settings = ofType(resources, 'Microsoft.Insights/diagnosticSettings');
    const services = names(resources, 'Microsoft.Storage/storageAccounts').flatMap((name) =>
      ['blob', 'queue', 'table'].map(
        (service) => `Microsoft.Storage/storageAccounts/${service}Services ${name}/default`,
      ),
    );
    const others = ['Microsoft.ServiceBus/namespaces', 'Microsoft.Web/sites'].flatMap((type) =>
      names(resources, type).map((name) => `${type} ${name}`),
    );
    expect(settings.map(({ scope }) => scope).sort()).toEqual([...services, ...others].sort());
    const [workspace = ''] = names(resources, 'Microsoft.OperationalInsights/workspaces');
    for (const { properties } of settings) {
      expect(properties).toMatchObject({
        workspaceId: idOf('Microsoft.OperationalInsights/workspaces', workspace),
        logs: [{ categoryGroup: 'allLogs', enabled: true }],
        metrics: [{ enabled: true }],
      });
    }
  });
});

function contains(tags: Record<string, string> | undefined, wanted: Record<string, string>): boolean {
  return Object.entries(wanted).every(([name, value]) => tags?.[name] === value);
}
