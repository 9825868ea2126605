import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../cli/doctor/app.ts';
import { checkHost } from '../../../../cli/doctor/host.ts';
import { checkGenerated, checkTemplate } from '../../../../cli/doctor/infra.ts';
import { checkScripts } from '../../../../cli/doctor/scripts.ts';
import { checkSettings } from '../../../../cli/doctor/settings.ts';
import { checkVersions, fitsRange } from '../../../../cli/doctor/versions.ts';
import { ROOT } from '../../infra/bicep.ts';
import { appWith, edited, POOL, VERSION } from './app.ts';

const host = JSON.parse(readFileSync(join(ROOT, 'host.json'), 'utf8'));
const registry = { workloads: [{ pool: 'default' }], containers: ['images'] } as unknown as Parameters<
  typeof checkGenerated
>[1];
const found = (findings: readonly Finding[]): string[] =>
  findings.map(({ file, key, expected, found: got, fix }) => `${file} ${key}: ${expected} / ${got} / ${fix}`);

describe('an app that agrees with its package', () => {
  it('has no findings', () => {
    const app = appWith();
    expect([
      ...checkVersions(app, '24.0.0'),
      ...checkHost(app),
      ...checkSettings(app),
      ...checkTemplate(app),
      ...checkGenerated(app, registry),
      ...checkScripts(app),
    ]).toEqual([]);
  });
});

describe('versions', () => {
  const manifest = { name: 'orders', main: 'app.ts', scripts: { package: 'x' } };

  it('of Node.js is compared with engines of the package', () => {
    expect(found(checkVersions(appWith(), '20.1.0'))).toEqual([
      'node version: >=22.15 / 20.1.0 / install Node.js >=22.15',
    ]);
    expect(checkVersions(appWith(), '22.15.0')).toEqual([]);
  });

  it.each([
    [{}, `a version of sluice / nothing / npm install sluice`],
    [{ sluice: '^9.0.0' }, `^9.0.0 / ${VERSION} / npm install`],
  ])('of sluice is in the range of the app: %j', (dependencies, text) => {
    const app = appWith({ 'package.json': { ...manifest, dependencies } });
    expect(found(checkVersions(app, '24.0.0'))).toEqual([`package.json dependencies.sluice: ${text}`]);
  });

  it('of the running command is the installed one', () => {
    const app = appWith();
    const other = { ...app, packageManifest: { ...app.packageManifest, version: '7.0.0' } };
    expect(found(checkVersions(other, '24.0.0'))).toEqual([
      `package.json dependencies.sluice: ${VERSION}, as installed / 7.0.0, which runs / npx sluice doctor`,
    ]);
  });

  it('of shared packages are those that the package asks for', () => {
    const asked = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const range = { ...asked.dependencies, ...asked.peerDependencies }.zod;
    const app = appWith({ 'node_modules/zod/package.json': { version: '3.1.0' } });
    expect(found(checkVersions(app, '24.0.0'))).toEqual([
      `package.json zod: ${range} / 3.1.0 / npm install "zod@${range}"`,
    ]);
  });

  it('of a missing package is a finding only if the app has to install it', () => {
    const app = appWith({ 'node_modules/zod/package.json': undefined });
    const range = app.packageManifest.peerDependencies?.zod;
    expect(found(checkVersions(app, '24.0.0'))).toEqual([
      `package.json zod: ${range} / nothing / npm install "zod@${range}"`,
    ]);
    const { peerDependenciesMeta: known } = app.packageManifest;
    const optional = { ...app.packageManifest, peerDependenciesMeta: { ...known, zod: { optional: true } } };
    expect(checkVersions({ ...app, packageManifest: optional }, '24.0.0')).toEqual([]);
  });

  it.each([
    ['1.2.3', '^1.0.0', true],
    ['2.0.0', '^1.0.0', false],
    ['1.2.2', '^1.2.3', false],
    ['0.2.0', '^0.1.0', false],
    ['0.1.9', '^0.1.2', true],
    ['0.0.4', '^0.0.3', false],
    ['1.9.5', '~1.9.1', true],
    ['1.10.0', '~1.9.1', false],
    ['22.15.0', '>=22.15', true],
    ['22.14.9', '>= 22.15', false],
    ['5.0.0', '>=4 <5', false],
    ['4.9.0', '>=4 <5', true],
    ['5.0.0', '<=5.0.0', true],
    ['5.0.1', '>5.0.0', true],
    ['4.1.0', '4', true],
    ['4.1.0', '4.2.x', false],
    ['4.2.7', '4.2.x', true],
    ['1.2.3', '1.2.3', true],
    ['1.2.4', '1.2.3', false],
    ['3.0.0', '^2.0.0 || ^3.0.0', true],
    ['1.0.0-beta.45', '1.0.0-beta.45', true],
    ['9.9.9', '*', true],
    ['9.9.9', 'file:../sluice', true],
    ['9.9.9', 'latest', true],
  ])('%s in the range %s: %s', (version, range, expected) => {
    expect(fitsRange(version, range)).toBe(expected);
  });
});

describe('host.json', () => {
  it('has the values on which the pipeline relies', () => {
    const { extensionBundle: _none, ...rest } = structuredClone(host);
    rest.extensions.durableTask.storageProvider.partitionCount = 4;
    expect(found(checkHost(appWith({ 'host.json': rest })))).toEqual([
      expect.stringMatching(/^host\.json extensionBundle\.id: .* \/ nothing \/ set it to /),
      expect.stringMatching(/^host\.json extensionBundle\.version: .* \/ nothing \/ set it to /),
      'host.json extensions.durableTask.storageProvider.partitionCount: 1 / 4 / set it to 1',
    ]);
  });

  it('may have its own logs, another time limit and more keys', () => {
    const own = { ...host, logging: {}, functionTimeout: '00:30:00', extensions: { ...host.extensions, blobs: {} } };
    expect(checkHost(appWith({ 'host.json': own }))).toEqual([]);
    const { functionTimeout: _none, ...without } = host;
    expect(checkHost(appWith({ 'host.json': without })).map(({ key }) => key)).toEqual(['functionTimeout']);
  });

  it('exists', () => {
    expect(checkHost(appWith({ 'host.json': undefined }))).toMatchObject([{ file: 'host.json', found: 'nothing' }]);
  });

  it('that is not JSON is named in the error', () => {
    expect(() => checkHost(appWith({ 'host.json': '{ "a": ' }))).toThrow('host.json: expected JSON');
  });
});

describe('settings', () => {
  const values = (more: object): object => ({
    Values: { SluiceStorage: 'UseDevelopmentStorage=true', SluiceServiceBus: 'Endpoint=x', ...more },
  });
  const of = (more: object): string[] => found(checkSettings(appWith({ 'local.settings.json': values(more) })));

  it('that the package does not know are found, with the most similar one', () => {
    expect(of({ SLUICE_THREDS: '2', LEDGER: 'x' })).toEqual([
      'local.settings.json Values.SLUICE_THREDS: a setting of docs/deploy.md / SLUICE_THREDS / rename or remove it. Did you mean SLUICE_THREADS?',
    ]);
  });

  it('of earlier versions are found, with the reason', () => {
    expect(of({ SLUICE_URL_HOSTS: 'x' })).toEqual([expect.stringContaining('remove it: the app imports only blobs')]);
  });

  it('have values that the app accepts', () => {
    expect(of({ SLUICE_THREADS: '99', SLUICE_SLICE_SECONDS: 'x' })).toEqual([
      'local.settings.json Values.SLUICE_THREADS: a whole number from 0 to 64 / "99" / correct SLUICE_THREADS: docs/deploy.md, Settings',
      expect.stringContaining('Values.SLUICE_SLICE_SECONDS: a whole number from 1 to 120 / "x"'),
    ]);
    expect(of({ SLUICE_POOL: 'Not a pool' })).toEqual([
      expect.stringContaining('Values.SLUICE_POOL: a lower-case word'),
    ]);
    // The local stack and the deployment set the connections.
    expect(found(checkSettings(appWith({ 'local.settings.json': { Values: {} } })))).toEqual([]);
  });

  it.each(['infra/main.bicep', 'infra/main.bicepparam'])('of the deployment are checked in %s', (file) => {
    const block = "{\n  SLUICE_MAX_ITEM: '1'\n  SLUICE_THREADS: 'x'\n  SLUICE_CAPACITY: capacity\n  OTHER: 'y'\n}";
    const change =
      file === 'infra/main.bicep'
        ? edited(file, /\{ SLUICE_MAX_ITEMS.*/, block)
        : { [file]: `using './main.bicep'\nparam appSettings = ${block}\n` };
    expect(found(checkSettings(appWith(change)))).toEqual([
      `${file} appSettings.SLUICE_MAX_ITEM: a setting of docs/deploy.md / SLUICE_MAX_ITEM / rename or remove it. Did you mean SLUICE_MAX_ITEMS?`,
      `${file} appSettings.SLUICE_THREADS: a whole number from 0 to 64 / "x" / correct SLUICE_THREADS: docs/deploy.md, Settings`,
    ]);
  });
});

describe('the template', () => {
  const main = (from: string | RegExp, to: string): string[] =>
    found(checkTemplate(appWith(edited('infra/main.bicep', from, to))));

  it('passes the parameters that the module requires, and no others', () => {
    expect(main(/ {4}pools: .*\n/, '')).toEqual([
      'infra/main.bicep pools: a value: the parameter has no default / nothing / pass pools',
    ]);
    expect(main('appSettings:', 'appSetings:')).toEqual([
      'infra/main.bicep appSetings: a parameter of the template / appSetings / rename or remove it. Did you mean appSettings?',
    ]);
  });

  it('has the module of the package', () => {
    expect(main(/^module sluice .*/m, "module other 'other.bicep' = {")).toMatchObject([
      expect.stringContaining("a module '../node_modules/sluice/infra/main.bicep' / nothing / add the module"),
    ]);
    expect(main('../node_modules/sluice', '../../node_modules/sluice')).toMatchObject([
      expect.stringContaining('/ ../../node_modules/sluice/infra/main.bicep / npm install, or correct the path'),
    ]);
  });

  it('gets its parameters from the parameter file', () => {
    const change = { 'infra/main.bicepparam': "using './main.bicep'\nparam locatio = 'x'\n" };
    expect(found(checkTemplate(appWith(change)))).toEqual([
      'infra/main.bicepparam environmentName: a value: the parameter has no default / nothing / pass environmentName',
      'infra/main.bicepparam locatio: a parameter of the template / locatio / rename or remove it. Did you mean location?',
    ]);
  });

  it('is not required: an app may not be deployed yet', () => {
    const app = appWith({ 'infra/main.bicep': undefined, 'infra/pools.json': undefined });
    expect([...checkTemplate(app), ...checkGenerated(app, registry)]).toEqual([]);
  });
});

describe('the generated files', () => {
  it.each<[string, Parameters<typeof appWith>[0], string]>([
    ['a pool is missing', { 'infra/pools.json': [] }, 'infra/pools.json'],
    ['a pool is not used', { 'infra/pools.json': [POOL, { ...POOL, name: 'old' }] }, 'infra/pools.json'],
    ['there are no pools', { 'infra/pools.json': undefined }, 'infra/pools.json'],
    ['a container is missing', { 'infra/containers.json': [] }, 'infra/containers.json'],
    [
      'a service is not used',
      edited('azure.yaml', / {2}default:\n/, '  default:\n    project: .\n  old:\n'),
      'azure.yaml',
    ],
  ])('are those of the workloads: %s', (_case, change, file) => {
    const findings = checkGenerated(appWith(change), registry);
    expect(findings).toMatchObject([{ file, fix: 'npx sluice azure generate' }]);
  });

  it('may have configured values, and any format', () => {
    const app = appWith({
      'infra/pools.json': JSON.stringify([{ ...POOL, memory: 512 }], null, 4),
      'azure.yaml': undefined,
    });
    expect(checkGenerated(app, registry)).toEqual([]);
  });
});

describe('package.json and azure.yaml', () => {
  const of = (change: Parameters<typeof appWith>[0]): string[] => found(checkScripts(appWith(change)));

  it.each([
    ['dist/other.js', 'dist/other.js, which does not exist'],
    ['dist/functions/*.js', 'dist/functions/*.js, which does not exist'],
  ])('has a main that exists: %s', (main, text) => {
    const manifest = { main, dependencies: {}, scripts: { package: 'x' } };
    expect(of({ 'package.json': manifest })).toEqual([expect.stringContaining(text)]);
    expect(of({ 'package.json': manifest, 'src/other.ts': '', 'functions/app.ts': '' })).toEqual([]);
  });

  it('has a main', () => {
    expect(of({ 'package.json': { scripts: { package: 'x' } } })).toEqual([expect.stringContaining('set main')]);
  });

  it('call commands and scripts that exist', () => {
    expect(of(edited('azure.yaml', 'first-publish', 'first-publsh'))).toEqual([
      expect.stringContaining('sluice azure first-publsh / correct it. Did you mean first-publish?'),
    ]);
    expect(of(edited('azure.yaml', 'npm run package', 'npm run packag'))).toEqual([
      expect.stringContaining('npm run packag / add it. Did you mean package?'),
    ]);
    expect(of(edited('package.json', 'azure generate', 'azure generat'))).toEqual([
      expect.stringContaining('package.json scripts.generate: a command of sluice azure / sluice azure generat /'),
    ]);
  });

  it('call no script of an earlier checkout', () => {
    const change = edited('azure.yaml', 'npx sluice azure after-provision', 'sh infra/after-provision.sh');
    expect(of(change)).toEqual([expect.stringContaining('call npx sluice azure after-provision')]);
    expect(of({ ...change, 'infra/after-provision.sh': '' })).toEqual([]);
  });
});
