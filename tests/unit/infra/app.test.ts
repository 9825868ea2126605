/** An app below whose node_modules the package is: its template has Sluice as a module, and resources of its own. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expandTemplate, readParameterFile } from 'bicep-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './bicep.ts';
import { appSettings, deployedResources, ofType } from './deployed.ts';
import { names } from './resources.ts';

const root = mkdtempSync(join(tmpdir(), 'sluice-app-'));
cpSync(join(import.meta.dirname, 'app'), root, { recursive: true });
mkdirSync(join(root, 'node_modules'));
symlinkSync(ROOT, join(root, 'node_modules/sluice'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const { template, parameters } = readParameterFile('infra/main.bicepparam', { root });
const { resources, outputs } = expandTemplate(template, parameters, { root });
const settings = Object.entries(appSettings(resources));

describe('the template of an app', () => {
  it('deploys what Sluice deploys for the same parameters, under the same names', () => {
    const pools = [
      { name: 'default', memory: 2048, maximumInstanceCount: 40, alwaysReady: [] },
      { name: 'video', memory: 4096, maximumInstanceCount: 10, alwaysReady: [] },
    ];
    const alone = deployedResources({ environmentName: 'orders', pools, workloadContainers: ['images'] });
    const ofModule = resources.filter(({ module }) => module.startsWith('main/sluice'));
    expect(ofModule.map(({ type, name }) => `${type} ${name}`)).toEqual(
      alone.map(({ type, name }) => `${type} ${name}`),
    );
  });

  it('has an app for each of its own pools, and the containers of its own workloads', () => {
    expect(settings.map(([, one]) => one.SLUICE_POOL)).toEqual(['default', 'video']);
    expect(names(resources, 'Microsoft.Storage/storageAccounts/blobServices/containers')).toContainEqual(
      expect.stringMatching(/\/images$/),
    );
  });

  it('adds its settings to those of every app', () => {
    for (const [, one] of settings)
      expect(one).toMatchObject({
        ...{ LEDGER_URL: 'https://ledger.example.com', SLUICE_MAX_ITEMS: '1000000', SLUICE_TOPIC: 'sluice-events' },
      });
  });

  it('has resources beside Sluice, and a role for its identity', () => {
    const own = resources.filter(({ module }) => !module.startsWith('main/sluice'));
    expect(own.map(({ type }) => type)).toEqual([
      'Microsoft.Resources/resourceGroups',
      'Microsoft.Storage/storageAccounts',
      'Microsoft.Authorization/roleAssignments',
    ]);
    const [identity] = names(resources, 'Microsoft.ManagedIdentity/userAssignedIdentities');
    expect(own.at(-1)?.properties.principalId).toContain(`userAssignedIdentities ${identity})`);
  });

  it('forwards the outputs that the hooks need', () => {
    expect(outputs).toMatchObject({
      AZURE_RESOURCE_GROUP: 'rg-orders',
      SLUICE_APPS: ofType(resources, 'Microsoft.Web/sites').map(({ name }) => name),
      SLUICE_TOPIC: 'sluice-events',
      ARCHIVE_ACCOUNT: expect.stringMatching(/^starchive/),
    });
  });

  it('is refused without its pools', () => {
    const { pools: _none, ...others } = { ...parameters, pools: [], workloadContainers: [] };
    expect(() => expandTemplate('node_modules/sluice/infra/main.bicep', others, { root })).toThrow(
      'parameter "pools" has no value',
    );
  });
});
