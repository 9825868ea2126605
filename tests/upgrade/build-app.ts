import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { versionedHost } from '../../infra/packaging/versioned-host.ts';
import { buildAppCopy } from '../helpers/app-copy.ts';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Builds the app of this checkout with the workloads of the upgrade tests, and returns its folder. The upgrade test also calls
 * this function of earlier versions: keep its name, its parameter and its result. As in a package, the orchestrator's code
 * has a version.
 * @param name of the folder below `.sluice/`
 */
export async function buildUpgradeApp(name: string): Promise<string> {
  const folder = await buildAppCopy({
    name,
    project: 'tests/upgrade/tsconfig.json',
    registry: 'tests/upgrade/app/registry.ts',
    // Drains that a recording holds leave activities for others.
    activities: 8,
  });
  const file = join(folder, 'host.json');
  const host = JSON.parse(await readFile(file, 'utf8'));
  const { extensions } = JSON.parse(await versionedHost(ROOT));
  host.extensions.durableTask.defaultVersion = extensions.durableTask.defaultVersion;
  await writeFile(file, `${JSON.stringify(host, null, 2)}\n`);
  return folder;
}
