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

/**
 * Returns host.json of the app at `root` with a hash of the orchestrator's code as its version. After a deployment that
 * changed the code, the runtime fails the drains of the old code (versionMatchStrategy Strict, versionFailureStrategy Fail)
 * instead of replaying their history with other code, and the sweep at the end of the deployment takes their gates over.
 */
export async function versionedHost(root: string): Promise<string> {
  const host = JSON.parse(await readFile(join(root, 'host.json'), 'utf8'));
  const hash = createHash('sha256');
  for (const file of ORCHESTRATOR_FILES) hash.update(await readFile(moduleOf(root, file)));
  for (const name of ORCHESTRATOR_PACKAGES) {
    const text = await readFile(join(root, 'node_modules', name, 'package.json'), 'utf8');
    hash.update(JSON.parse(text).version);
  }
  host.extensions.durableTask.defaultVersion = hash.digest('hex').slice(0, 12);
  return `${JSON.stringify(host, null, 2)}\n`;
}
