/** Small apps in temporary folders, below whose node_modules this package is. */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { type App, openApp } from '../../../../cli/doctor/app.ts';
import { writeAppFolder } from '../../../helpers/app-folder.ts';
import { ROOT } from '../../infra/bicep.ts';

const own = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
  peerDependencies: Record<string, string>;
};
export const VERSION = own.version;

const MAIN = `targetScope = 'subscription'
param environmentName string
param location string = 'northeurope'

// The pipeline: { its parameters }.
module sluice '../node_modules/sluice/infra/main.bicep' = {
  params: {
    environmentName: environmentName
    location: empty(location) ? 'westeurope' : location
    pools: loadJsonContent('pools.json')
    workloadContainers: loadJsonContent('containers.json')
    appSettings: { SLUICE_MAX_ITEMS: '1000', LEDGER_URL: 'https://ledger.example.com/{id}' }
  }
}
`;
const AZURE = `name: orders
hooks:
  postprovision:
    shell: sh
    # Not called: npm run nothing
    run: npx sluice azure after-provision "$AZURE_RESOURCE_GROUP" "$SLUICE_SERVICE_BUS" "$SLUICE_TOPIC"
  predeploy:
    shell: sh
    run: npm run package && npx sluice azure first-publish "$AZURE_RESOURCE_GROUP" out/app.zip
services:
  default:
    project: .
`;
export const POOL = { name: 'default', memory: 2048, maximumInstanceCount: 40, alwaysReady: [] };

/** The lowest versions that the package asks an app for. */
const PEERS = Object.fromEntries(
  ['@azure/functions', 'durable-functions', 'zod'].map((name) => [
    `node_modules/${name}/package.json`,
    { version: own.peerDependencies[name]?.slice(1) },
  ]),
);

/** The files of an app without findings, by path. Objects are written as JSON. */
const FILES: Readonly<Record<string, string | object>> = {
  ...PEERS,
  'package.json': {
    ...{ name: 'orders', type: 'module', main: 'dist/app.js', dependencies: { sluice: VERSION } },
    scripts: { package: 'sluice-package', generate: 'sluice azure generate' },
  },
  'app.ts': 'export {};\n',
  'local.settings.json': {
    IsEncrypted: false,
    Values: { SluiceStorage: 'UseDevelopmentStorage=true', SluiceServiceBus: 'Endpoint=x', SLUICE_CAPACITY: '4' },
  },
  'infra/main.bicep': MAIN,
  'infra/main.bicepparam': "using './main.bicep'\n\nparam environmentName = 'orders'\n",
  'infra/pools.json': [POOL],
  'infra/containers.json': ['images'],
  'azure.yaml': AZURE,
};

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Writes an app with these files changed, or left out if undefined. Returns its folder. */
export function writeApp(changes: Readonly<Record<string, string | object | undefined>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-doctor-'));
  folders.push(folder);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/sluice'));
  writeAppFolder(folder);
  cpSync(join(ROOT, 'host.json'), join(folder, 'host.json'));
  for (const [file, content] of Object.entries({ ...FILES, ...changes })) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    if (content === undefined) rmSync(join(folder, file), { force: true });
    else writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return folder;
}

/** Opens an app with these files changed. */
export const appWith = (changes?: Parameters<typeof writeApp>[0]): App => openApp(writeApp(changes), ROOT);

/** The text of a file of an app without findings, with a part replaced. Fails if there is no such part. */
export function edited(file: string, from: string | RegExp, to: string): Record<string, string> {
  const text = FILES[file];
  const before = typeof text === 'string' ? text : JSON.stringify(text);
  const after = before.replace(from, to);
  if (after === before) throw new Error(`${file} does not contain ${from}`);
  return { [file]: after };
}
