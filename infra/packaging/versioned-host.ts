import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { moduleOf } from './own-package.ts';

/** Files whose code an orchestrator runs: each that registers one, and what it imports by value. A test compares them. */
export const ORCHESTRATOR_FILES = [
  'functions/drain-queue.ts',
  'shared/drain/drain-queue.ts',
  'shared/gate/planning/slice-result.ts',
];
/** Packages that they import. Their versions are code of the orchestrator as well. */
export const ORCHESTRATOR_PACKAGES = ['durable-functions'];

/** The storage providers of the Durable extension that the template can deploy, as host.json and the template name them. */
const BACKENDS = ['azureStorage', 'azureManaged'] as const;

/** The only keys of this provider that are documented (durable-task-scheduler-identity). The template sets the setting. */
const SCHEDULER = { type: 'azureManaged', connectionStringName: 'DURABLE_TASK_SCHEDULER_CONNECTION_STRING' };

/**
 * Returns host.json of the app at `root` with a hash of the orchestrator's code as its version. After a deployment that
 * changed the code, the runtime fails the drains of the old code (versionMatchStrategy Strict, versionFailureStrategy Fail)
 * instead of replaying their history with other code, and the sweep at the end of the deployment takes their gates over.
 *
 * `backend` is the storage provider; undefined or empty: that of the app's file. It must be in this file: the scale controller
 * reads no override by a setting (Azure/azure-functions-durable-extension#2622).
 * @throws Error if the backend is unknown, or if the app's file has no values for it
 */
export async function versionedHost(root: string, backend = ''): Promise<string> {
  const host = JSON.parse(await readFile(join(root, 'host.json'), 'utf8'));
  const hash = createHash('sha256');
  for (const file of ORCHESTRATOR_FILES) hash.update(await readFile(moduleOf(root, file)));
  for (const name of ORCHESTRATOR_PACKAGES) {
    const text = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8');
    hash.update(JSON.parse(text).version);
  }
  const { durableTask } = host.extensions;
  durableTask.storageProvider = storageProvider(durableTask.storageProvider, backend);
  durableTask.defaultVersion = hash.digest('hex').slice(0, 12);
  return `${JSON.stringify(host, null, 2)}\n`;
}

function storageProvider(own: { type?: string }, backend: string): unknown {
  const wanted = BACKENDS.find((each) => each === backend);
  if (backend !== '' && wanted === undefined)
    throw new Error(`--backend (SLUICE_DURABLE_BACKEND): expected ${BACKENDS.join(' or ')}, got "${backend}".`);
  if (wanted === 'azureManaged') return SCHEDULER;
  if (wanted === 'azureStorage' && own.type?.toLowerCase() === 'azuremanaged')
    throw new Error('--backend azureStorage: expected the provider AzureStorage in host.json, got azureManaged.');
  return own;
}
