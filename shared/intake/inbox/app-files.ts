/** Decides which app takes a file when every pool scans the inbox: by the registry, which all apps share. */
import type { BlobItem } from '@azure/storage-blob';
import type { Workload } from '../../workload/define.ts';
import type { InboxDeps } from './inbox-deps.ts';

/** How long a file of an unknown workload waits: longer than a package needs to reach every app of a deployment. */
const UNKNOWN_WAIT_MS = 15 * 60_000;

const workloadOf = ({ registry }: InboxDeps, name: string): Workload | undefined =>
  registry.workload(name.split('/')[0] ?? '');

/**
 * Whether this app takes the file. The files of a workload belong to its pool. Files whose path contains no known workload
 * belong to the pool of the first workload. An app without a pool takes all files.
 */
export function isFileOfApp(deps: InboxDeps, name: string): boolean {
  const { pool } = deps.settings;
  return pool === undefined || (workloadOf(deps, name) ?? deps.registry.workloads[0])?.pool === pool;
}

/**
 * Whether the path contains a workload that this app does not know but an app of a later version may know. Such a file is
 * left for now. Without a pool there is no other app.
 */
export function isUnknownYet(deps: InboxDeps, { name, properties }: BlobItem, nowMs: number): boolean {
  if (deps.settings.pool === undefined || workloadOf(deps, name) !== undefined) return false;
  return nowMs - properties.lastModified.getTime() < UNKNOWN_WAIT_MS;
}
