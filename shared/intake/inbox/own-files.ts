/**
 * Which app takes a file of the inbox where every pool looks into it. It follows from the registry, which is the same in the
 * apps of one deployment, so the apps agree without asking one another.
 */
import type { BlobItem } from '@azure/storage-blob';
import type { Settings } from '../../settings.ts';
import type { Workload } from '../../workload/define.ts';
import type { Registry } from '../../workload/registry.ts';

export interface OwnFilesDeps {
  registry: Registry;
  settings: Pick<Settings, 'pool'>;
}

/**
 * How long a file of an unknown workload waits before it is rejected: longer than the publishing of one package to every app
 * of a deployment. Until then another app may know the workload already.
 */
const UNKNOWN_WAIT_MS = 15 * 60_000;

const workloadOf = ({ registry }: OwnFilesDeps, name: string): Workload | undefined =>
  registry.workload(name.split('/')[0] ?? '');

/**
 * Whether this app takes the file: the files of a workload are its pool's, and files that name no workload are the first
 * pool's, which is that of the first workload. An app without a pool takes all.
 */
export function isOwnFile(deps: OwnFilesDeps, name: string): boolean {
  const { pool } = deps.settings;
  return pool === undefined || (workloadOf(deps, name) ?? deps.registry.workloads[0])?.pool === pool;
}

/**
 * Whether a file names a workload that this app does not know, but an app of a later version may: it is left for now. Without
 * a pool there is no other app.
 */
export function isUnknownYet(deps: OwnFilesDeps, { name, properties }: BlobItem, nowMs: number): boolean {
  if (deps.settings.pool === undefined || workloadOf(deps, name) !== undefined) return false;
  return nowMs - properties.lastModified.getTime() < UNKNOWN_WAIT_MS;
}
