import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ArmTemplate,
  armShapes,
  bicepShapes,
  checkAgainstRecord,
  checkResource,
  type DeployedResource,
  faultsOf,
  readDefinitions,
} from 'bicep-check';
import { afterAll, describe, expect, it, test } from 'vitest';
import { bicepFiles, declarationsOf, ROOT } from './bicep.ts';
import { deployedResources, deployment, ofType, parameterFile, readRecord } from './deployed.ts';
import { PARAMETER_SETS } from './parameter-sets.ts';

const sets = Object.entries(PARAMETER_SETS);
const record = readRecord();
const types = (resources: readonly DeployedResource[]): string[] => [
  ...new Set(resources.map(({ type, apiVersion }) => `${type}@${apiVersion}`)),
];

describe.each(sets)('the deployment with %s', (_, parameters) => {
  const { resources, existing } = deployment(parameters);

  it('sends only properties that were checked against the official type definitions', () => {
    expect(faultsOf(resources, (one) => checkAgainstRecord(one, record))).toEqual([]);
  });

  it('gives each resource a unique name', () => {
    const names = resources.map(({ type, name, scope }) => `${type} ${name} on ${scope}`.toLowerCase());
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('references only existing resources that it deploys', () => {
    const made = new Set(resources.map(({ type, name }) => `${type} ${name}`));
    // Every account has these services, even if no template declares them.
    const given = /^(Microsoft\.Storage\/storageAccounts)\/\w+Services (\w+)\/default$/;
    expect(existing.filter((one) => !made.has(one) && !made.has(one.replace(given, '$1 $2')))).toEqual([]);
  });

  it('extends only resources that it deploys', () => {
    const made = new Set([...resources.map(({ type, name }) => `${type} ${name}`), 'subscription', ...existing]);
    expect(resources.map(({ scope }) => scope).filter((scope) => !made.has(scope))).toEqual([]);
  });

  it('gives accounts, apps and namespaces valid names', () => {
    const accounts = ofType(resources, 'Microsoft.Storage/storageAccounts').map(({ name }) => name);
    expect(accounts.filter((name) => !/^[a-z0-9]{3,24}$/.test(name))).toEqual([]);
    const apps = ofType(resources, 'Microsoft.Web/sites').map(({ name }) => name);
    expect(apps.filter((name) => !/^[a-z0-9][a-z0-9-]{0,58}[a-z0-9]$/.test(name))).toEqual([]);
    // The host id is the first 32 characters; apps with the same host id would share keys and leases.
    expect(new Set(apps.map((name) => name.slice(0, 32))).size).toBe(apps.length);
    const namespaces = ofType(resources, 'Microsoft.ServiceBus/namespaces').map(({ name }) => name);
    expect(namespaces.filter((name) => !/^[a-zA-Z][a-zA-Z0-9-]{4,48}[a-zA-Z0-9]$/.test(name))).toEqual([]);
  });
});

describe('an error in the deployment', () => {
  const [app] = ofType(deployedResources(), 'Microsoft.Web/sites');
  if (app === undefined) throw new Error('Expected an app, got none.');
  const changed = (properties: object, more: object = {}): DeployedResource => ({
    ...app,
    body: { ...app.body, properties: { ...app.properties, ...properties }, ...more },
  });

  test.each<[string, DeployedResource, string]>([
    ['a misspelt property', changed({ httpOnly: true }), 'properties/httpOnly: was never checked'],
    ['a value of another type', changed({ httpsOnly: 'yes' }), 'properties/httpsOnly: expected boolean, got "yes"'],
    ['a type of identity that there is not', changed({}, { identity: { type: 'None of these' } }), 'identity/type'],
    ['a version that was not checked', { ...app, apiVersion: '2014-04-01' }, 'Microsoft.Web/sites@2014-04-01'],
  ])('is found: %s', (_, faulty, fault) => {
    expect(checkAgainstRecord(faulty, record).join('\n')).toMatch(fault);
  });

  it('is found: a required property is missing', () => {
    const [assignment] = ofType(deployedResources(), 'Microsoft.Authorization/roleAssignments');
    const { principalId: _, ...properties } = assignment?.properties ?? {};
    const faulty = { ...(assignment as DeployedResource), body: { ...assignment?.body, properties } };
    expect(checkAgainstRecord(faulty as DeployedResource, record)).toEqual(['properties/principalId: is missing']);
  });
});

describe('the parameter sets', () => {
  it('deploy every resource type of the files', () => {
    const declared = bicepFiles
      .filter((file) => file.endsWith('.bicep'))
      .flatMap((file) => declarationsOf(file, 'resource'))
      .filter(({ existing }) => !existing)
      .map(({ reference }) => reference);
    const deployed = types(sets.flatMap(([, parameters]) => deployedResources(parameters)));
    expect(deployed.sort()).toEqual([...new Set(declared)].sort());
  });

  it('differ from the defaults as they declare', () => {
    const one = deployedResources(PARAMETER_SETS['one pool']);
    const scheduler = deployedResources(PARAMETER_SETS['the Durable Task Scheduler']);
    expect(ofType(one, 'Microsoft.Web/sites')).toHaveLength(1);
    expect(ofType(scheduler, 'Microsoft.DurableTask/schedulers')).toHaveLength(1);
    expect(ofType(deployedResources(), 'Microsoft.DurableTask/schedulers')).toHaveLength(0);
  });
});

describe('the parameter file', () => {
  it('belongs to the template and sets only its parameters', () => {
    expect(parameterFile().template).toBe('infra/main.bicep');
    expect(() => deployment()).not.toThrow();
  });

  it('passes the values of the environment', () => {
    const { parameters } = parameterFile({
      ...{ AZURE_ENV_NAME: 'prod', AZURE_LOCATION: 'swedencentral', SLUICE_ALERT_RULES: 'false' },
    });
    const [group] = ofType(deployedResources(parameters), 'Microsoft.Resources/resourceGroups');
    expect(group).toMatchObject({ name: 'rg-prod', location: 'swedencentral' });
    expect(ofType(deployedResources(parameters), 'Microsoft.Insights/scheduledQueryRules')).toEqual([]);
  });
});

describe('the official type definitions', () => {
  const checkout = process.env.BICEP_TYPES_AZ ?? '';
  it(
    checkout === ''
      ? 'are not at hand (BICEP_TYPES_AZ): what is sent is held against the record of the last check'
      : 'take every resource of every parameter set',
    () => {
      if (checkout === '') {
        console.log(
          'BICEP_TYPES_AZ names no checkout of Azure/bicep-types-az: only the record of the last check is used.',
        );
        return;
      }
      const definitions = readDefinitions(checkout);
      const resources = sets.flatMap(([, parameters]) => deployedResources(parameters));
      expect(faultsOf(resources, (one) => checkResource(one, definitions).faults)).toEqual([]);
    },
  );

  it('are those of a commit', () => {
    expect(record.source).toMatchObject({ repository: 'github.com/Azure/bicep-types-az', licence: 'MIT' });
    expect(record.source.commit).toMatch(/^[0-9a-f]{40}$/);
  });
});

describe("bicep's own reading", () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-arm-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('has the same types, loops and conditions, including modules', () => {
    const group = { type: 'Microsoft.Resources/resourceGroups', apiVersion: '2025-04-01' };
    const account = { type: 'Microsoft.Storage/storageAccounts', apiVersion: '2025-06-01' };
    const inner: ArmTemplate = { resources: { kept: { ...account, existing: true }, made: { ...account, copy: {} } } };
    const module = {
      type: 'Microsoft.Resources/deployments',
      apiVersion: 'x',
      condition: '',
      properties: { template: inner },
    };
    const made = ['Microsoft.Resources/resourceGroups@2025-04-01', 'Microsoft.Storage/storageAccounts@2025-06-01 copy'];
    expect(armShapes({ resources: [group, module] })).toEqual([...made, 'module condition']);

    const declare = (kind: string, value: string): string =>
      `resource ${kind} 'Microsoft.Storage/storageAccounts@2025-06-01' ${value}\n`;
    const files = {
      'main.bicep': `resource g 'Microsoft.Resources/resourceGroups@2025-04-01' = {\n  name: 'g'\n}\nmodule m 'm.bicep' = if (true) {\n  scope: g\n}\n`,
      'm.bicep': `${declare('kept', "existing = { name: 'a' }")}${declare('made', "= [for n in ['b']: { name: n }]")}`,
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    expect(bicepShapes('main.bicep', folder)).toEqual([...made, 'module condition']);
  });

  const present = spawnSync('bicep', ['--version'], { encoding: 'utf8' }).status === 0;
  test(present ? 'is the same' : 'is left out: bicep is not on PATH', () => {
    if (!present) {
      console.log('bicep is not on PATH: the expander is not compared with `bicep build`.');
      return;
    }
    const { stdout, stderr } = spawnSync('bicep', ['build', 'infra/main.bicep', '--stdout'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (stdout === '') throw new Error(stderr);
    expect(bicepShapes('infra/main.bicep', ROOT)).toEqual(armShapes(JSON.parse(stdout) as ArmTemplate));
  });
});
