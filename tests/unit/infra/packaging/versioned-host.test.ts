import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterEach, describe, expect, it } from 'vitest';
import {
  ORCHESTRATOR_FILES,
  ORCHESTRATOR_PACKAGES,
  versionedHost,
} from '../../../../infra/packaging/versioned-host.ts';
import { readHostLimits } from '../../../../shared/drain/host-limits.ts';
import { hostSchema } from '../schemas.ts';

const REPOSITORY = join(import.meta.dirname, '../../../..');
const PACKAGES = ORCHESTRATOR_PACKAGES.map((name) => `node_modules/${name}/package.json`);
const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A copy of what the version depends on. */
async function copyOfApp(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'sluice-host-'));
  folders.push(root);
  for (const file of ['host.json', 'package.json', ...ORCHESTRATOR_FILES, ...PACKAGES])
    await cp(join(REPOSITORY, file), join(root, dirname(file), file.split('/').at(-1) ?? ''), { recursive: true });
  return root;
}

const versionOf = async (root: string): Promise<string> =>
  JSON.parse(await versionedHost(root)).extensions.durableTask.defaultVersion;

describe('versionedHost', () => {
  it('is host.json with a version of 12 hex digits, equal for equal code', async () => {
    const root = await copyOfApp();
    const { extensions, ...rest } = JSON.parse(await versionedHost(root));
    const plain = JSON.parse(await readFile(join(root, 'host.json'), 'utf8'));
    expect({ ...rest, extensions: { ...extensions, durableTask: plain.extensions.durableTask } }).toEqual(plain);
    expect(await versionOf(root)).toMatch(/^[0-9a-f]{12}$/);
    expect(await versionOf(await copyOfApp())).toBe(await versionOf(root));
  });

  const providerOf = async (root: string, backend?: string): Promise<unknown> =>
    JSON.parse(await versionedHost(root, backend)).extensions.durableTask.storageProvider;

  it('has the backend that the package is created with, and otherwise that of the app', async () => {
    const root = await copyOfApp();
    const own = JSON.parse(await readFile(join(root, 'host.json'), 'utf8')).extensions.durableTask.storageProvider;
    expect(await providerOf(root)).toEqual(own);
    expect(await providerOf(root, '')).toEqual(own);
    expect(await providerOf(root, 'azureStorage')).toEqual(own);
    const scheduler = { type: 'azureManaged', connectionStringName: 'DURABLE_TASK_SCHEDULER_CONNECTION_STRING' };
    expect(await providerOf(root, 'azureManaged')).toEqual(scheduler);
    expect(readHostLimits(JSON.parse(await versionedHost(root, 'azureManaged'))).durableBackend).toBe('dts');
  });

  it('is refused with an unknown backend, and with one for which the app has no values', async () => {
    const root = await copyOfApp();
    await expect(versionedHost(root, 'AzureStorage')).rejects.toThrow('expected azureStorage or azureManaged');
    await writeFile(join(root, 'host.json'), await versionedHost(root, 'azureManaged'));
    expect(await providerOf(root)).toMatchObject({ type: 'azureManaged' });
    await expect(versionedHost(root, 'azureStorage')).rejects.toThrow('expected the provider AzureStorage');
  });

  it('matches the schema of host.json with each backend', async () => {
    const validate = new Ajv({ allErrors: true }).compile(hostSchema);
    for (const backend of ['azureStorage', 'azureManaged']) {
      validate(JSON.parse(await versionedHost(await copyOfApp(), backend)));
      expect(validate.errors).toBeNull();
    }
  });

  it.each(ORCHESTRATOR_FILES)('changes the version with %s', async (file) => {
    const root = await copyOfApp();
    const before = await versionOf(root);
    await writeFile(join(root, file), `${await readFile(join(root, file), 'utf8')}\n`);
    expect(await versionOf(root)).not.toBe(before);
  });

  it.each(PACKAGES)('changes the version with that of %s', async (file) => {
    const root = await copyOfApp();
    const before = await versionOf(root);
    await writeFile(join(root, file), '{"version":"99.0.0"}');
    expect(await versionOf(root)).not.toBe(before);
  });
});
