import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { appFolderOf } from '../../shared/app-folder.ts';
import type { Registry } from '../../shared/workload/registry.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Action } from '../session.ts';
import { loadWorkloads } from '../try/load-workloads.ts';
import { AZURE_FILE, CONTAINERS_FILE, mergePools, POOLS_FILE, type Pool, poolNames, servicesYaml } from './pools.ts';

/** The present texts of the files that follow from the workloads, by path; undefined: the file does not exist. */
export type DeploymentFiles = Readonly<Record<string, string | undefined>>;

/** The files that follow from the workloads. */
export const GENERATED_FILES = [POOLS_FILE, CONTAINERS_FILE, AZURE_FILE];

/** Reads them. */
export async function readDeploymentFiles(folder: string): Promise<DeploymentFiles> {
  const read = (file: string): Promise<string | undefined> =>
    readFile(join(folder, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  return Object.fromEntries(await Promise.all(GENERATED_FILES.map(async (file) => [file, await read(file)] as const)));
}

/**
 * Returns the files of a deployment as the workloads require them: pools with their configured values, containers, and, if
 * there is an azure.yaml, its services.
 */
export function deploymentFiles(
  { workloads, containers }: Pick<Registry, 'workloads' | 'containers'>,
  present: DeploymentFiles,
): { pools: Pool[]; files: Record<string, string> } {
  const pools = mergePools(poolNames({ workloads }), JSON.parse(present[POOLS_FILE] ?? '[]') as Pool[]);
  const yaml = present[AZURE_FILE];
  const files = {
    [POOLS_FILE]: `${JSON.stringify(pools, null, 2)}\n`,
    [CONTAINERS_FILE]: `[${containers.map((name) => JSON.stringify(name)).join(', ')}]\n`,
    ...(yaml === undefined ? {} : { [AZURE_FILE]: servicesYaml(yaml, pools) }),
  };
  return { pools, files };
}

/** `sluice azure generate`. */
export const generate: Action<[]> = async (session) => {
  const folder = appFolderOf(session.io.folder);
  const { pools, files } = deploymentFiles(await loadWorkloads(folder), await readDeploymentFiles(folder));
  await mkdir(join(folder, dirname(POOLS_FILE)), { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  session.answer({ pools, files: Object.keys(files) }, () => [
    `pools: ${pools.map(({ name, memory }) => `${name} (${memory} MB)`).join(', ')}`,
    `wrote ${Object.keys(files).join(', ')}`,
  ]);
  return EXIT.done;
};
