import { isMap, isScalar, parseDocument } from 'yaml';
import type { Registry } from '../../shared/workload/registry.ts';

/** A pool as infra/main.bicep takes it. Which pools there are follows from the workloads; the rest is decided here. */
export interface Pool {
  name: string;
  memory: 512 | 2048 | 4096;
  maximumInstanceCount: number;
  alwaysReady: { name: string; instanceCount: number }[];
}

/** One core per instance: handlers run in one thread per core, and 512 MB leave little beside the SDKs. */
const NEW_POOL = { memory: 2048, maximumInstanceCount: 40, alwaysReady: [] } as const;

/**
 * The pools of all workloads; the first workload's comes first, and is published first: it rejects the files of the inbox that
 * name no workload.
 */
export const poolNames = (registry: Pick<Registry, 'workloads'>): string[] => [
  ...new Set(registry.workloads.map(({ pool }) => pool)),
];

/** The pools of `names`, each with what is known of it; a pool that no workload names any more is left out. */
export function mergePools(names: readonly string[], known: readonly Pool[]): Pool[] {
  return names.map((name) => known.find((pool) => pool.name === name) ?? { name, ...NEW_POOL, alwaysReady: [] });
}

/** `text` of azure.yaml with one service per pool; the first service is the pattern for new ones, comments stay. */
export function servicesYaml(text: string, pools: readonly Pool[]): string {
  const document = parseDocument(text);
  const services = document.get('services');
  if (!isMap(services)) throw new Error('Expected azure.yaml to have a map "services".');
  const pattern = services.items[0]?.value;
  for (const { name } of pools) if (!services.has(name)) services.set(name, document.createNode(clone(pattern)));
  const wanted = new Set(pools.map(({ name }) => name));
  services.items = services.items.filter(({ key }) => wanted.has(String(isScalar(key) ? key.value : key)));
  return document.toString({ lineWidth: 0 });
}

const clone = (node: unknown): unknown => (isMap(node) ? node.toJSON() : {});
