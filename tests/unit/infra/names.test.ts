import type { DeployedResource } from 'bicep-check';
import { describe, expect, it } from 'vitest';
import { tableBelow } from '../docs/docs-table.ts';
import { deployedResources, ofType } from './deployed.ts';

const LETTERS = 'abcdefghijklmnopqrst';
/** All resource types that can be enabled together, with pool names of the maximum length. */
const everything = (environmentName: string): DeployedResource[] => [
  ...deployedResources({
    environmentName,
    privateNetworking: true,
    diagnosticSettings: true,
    deleteLocks: true,
    alertEmail: 'operator@example.com',
    monthlyBudget: 100,
    budgetStart: '2026-11-01',
    pools: [pool(LETTERS), pool(LETTERS.replace(/t$/, 'u')), pool('bus')],
  }),
  ...ofType(deployedResources({ environmentName, durableBackend: 'azureManaged' }), 'Microsoft.DurableTask/schedulers'),
];
const pool = (name: string) => ({ name, memory: 2048, maximumInstanceCount: 40, alwaysReady: [] });

const PLAIN = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
/** Prefix, minimum and maximum length and pattern by type. Source: Microsoft Learn, resource-name-rules; prefixes: docs/deploy.md, "Names". */
const RULES: Record<string, { prefix: string; least: number; most: number; form: RegExp }> = {
  'Microsoft.Consumption/budgets': { prefix: 'budget-', least: 1, most: 63, form: PLAIN },
  'Microsoft.DurableTask/schedulers': { prefix: 'dts-', least: 3, most: 64, form: PLAIN },
  'Microsoft.Insights/actionGroups': { prefix: 'ag-', least: 1, most: 260, form: PLAIN },
  'Microsoft.Insights/components': { prefix: 'appi-', least: 1, most: 260, form: PLAIN },
  'Microsoft.Insights/metricAlerts': { prefix: 'sluice-', least: 1, most: 260, form: PLAIN },
  'Microsoft.Insights/scheduledQueryRules': { prefix: 'sluice-', least: 1, most: 260, form: PLAIN },
  'Microsoft.ManagedIdentity/userAssignedIdentities': { prefix: 'id-', least: 3, most: 128, form: PLAIN },
  'Microsoft.Network/privateEndpoints': { prefix: 'pep-', least: 2, most: 64, form: PLAIN },
  'Microsoft.Network/virtualNetworks': { prefix: 'vnet-', least: 2, most: 64, form: PLAIN },
  'Microsoft.OperationalInsights/workspaces': { prefix: 'log-', least: 4, most: 63, form: PLAIN },
  'Microsoft.Resources/resourceGroups': { prefix: 'rg-', least: 1, most: 90, form: /^rg-/ },
  'Microsoft.ServiceBus/namespaces': { prefix: 'sbns-', least: 6, most: 50, form: PLAIN },
  'Microsoft.Storage/storageAccounts': { prefix: 'st', least: 3, most: 24, form: /^[a-z0-9]+$/ },
  'Microsoft.Web/serverfarms': { prefix: 'asp-', least: 1, most: 60, form: PLAIN },
  'Microsoft.Web/sites': { prefix: 'func-', least: 2, most: 60, form: PLAIN },
};
/** Children of the types above, names that Azure or another service sets, and names without the environment. */
const WITHOUT_RULE = [
  'Microsoft.Authorization/locks',
  'Microsoft.Authorization/roleAssignments',
  'Microsoft.Insights/diagnosticSettings',
  'Microsoft.Insights/workbooks',
  'Microsoft.Network/privateDnsZones',
];

describe.each([
  ['short', 'a'],
  ['usual', 'sluice-test'],
  ['longest', 'Contoso-Payments_Production.North-Europe(second)-x'.padEnd(64, 'y')],
  ['of digits', '2026'],
  ['without a letter or digit', '-_()'],
  ['foreign', 'größe.ß'],
])('with an environment name that is %s', (_, environmentName) => {
  const resources = everything(environmentName);
  const top = resources.filter(({ type }) => type.split('/').length === 2 && !WITHOUT_RULE.includes(type));

  it('names start with the abbreviation of their type', () => {
    expect([...new Set(top.map(({ type }) => type))].sort()).toEqual(Object.keys(RULES));
    expect(top.filter(({ type, name }) => !name.startsWith(RULES[type]?.prefix ?? '?'))).toEqual([]);
  });

  it('names have a valid length and valid characters', () => {
    const wrong = top.filter(({ type, name }) => {
      const { least = 0, most = 0, form = /^$/ } = RULES[type] ?? {};
      return name.length < least || name.length > most || !form.test(name);
    });
    expect(wrong.map(({ type, name }) => ({ type, name }))).toEqual([]);
  });

  it('resources of a type have different names', () => {
    const names = resources.map(({ type, scope, name }) => `${type} ${scope} ${name}`);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('host ids of two pools differ', () => {
    const ids = ofType(resources, 'Microsoft.Web/sites').map(({ name }) => name.slice(0, 32));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('the storage account of the batches is found by the prefix in the runbook', () => {
    const accounts = ofType(resources, 'Microsoft.Storage/storageAccounts').map(({ name }) => name);
    expect(accounts.filter((name) => name.startsWith('stdata'))).toHaveLength(1);
  });
});

describe('the table of names in docs/deploy.md', () => {
  it('contains the lengths of the longest names and the limits of their types', () => {
    const longest = everything('x'.repeat(64));
    const rows = tableBelow('docs/deploy.md', 'Names').filter(([, , length = '']) => / of /.test(length));
    const computed = rows.map(([type, name = '']) => {
      const prefixes = [...name.matchAll(/(?<![\w<])(?:st|[a-z]+-)(?=\w|…|<)/g)].map(([prefix]) => prefix);
      const types = Object.entries(RULES).filter(([, { prefix }]) => prefixes.includes(prefix));
      const lengths = longest.filter((one) => types.some(([key]) => key === one.type)).map((one) => one.name.length);
      return [type, `${Math.max(...lengths)} of ${Math.min(...types.map(([, { most }]) => most))}`];
    });
    expect(computed).toEqual(rows.map(([type, , length]) => [type, length]));
  });
});

describe('environments of one subscription', () => {
  it('have different names even if the first 16 characters are equal', () => {
    const [one, other] = ['contoso-payments-production', 'contoso-payments-production-2'].map((environmentName) =>
      deployedResources({ environmentName }).map(({ name }) => name),
    );
    for (const prefix of ['func-default-', 'stdata', 'sbns-']) {
      expect(one?.find((name) => name.startsWith(prefix))).not.toBe(other?.find((name) => name.startsWith(prefix)));
    }
  });
});
