import { isMap, isScalar, parseDocument } from 'yaml';
import type { Registry } from '../../shared/workload/registry.ts';

/**
 * A pool as a parameter of infra/main.bicep. The workloads determine which pools exist; the other values are configured here.
 */
export interface Pool {
  name: string;
  memory: 512 | 2048 | 4096;
  maximumInstanceCount: number;
  alwaysReady: { name: string; instanceCount: number }[];
}

/** One core per instance: handlers run in one thread per core, and 512 MB leave little memory besides the SDKs. */
const NEW_POOL = { memory: 2048, maximumInstanceCount: 40, alwaysReady: [] } as const;

/**
 * Returns the pools of all workloads. The pool of the first workload comes first and is published first: it rejects files of the
 * inbox without a valid workload.
 */
export const poolNames = (registry: Pick<Registry, 'workloads'>): string[] => [
  ...new Set(registry.workloads.map(({ pool }) => pool)),
];

/**
 * Returns the pools of `names` with their known values, and defaults for new ones. Omits pools that no workload uses any more.
 */
export function mergePools(names: readonly string[], known: readonly Pool[]): Pool[] {
  return names.map((name) => known.find((pool) => pool.name === name) ?? { name, ...NEW_POOL, alwaysReady: [] });
}

/**
 * Returns the text of azure.yaml with one service per pool. The first service is the template for new ones; comments are kept.
 */
export function servicesYaml(text: string, pools: readonly Pool[]): string {
  const document = parseDocument(text);
  const services = document.get('services');
  if (!isMap(services)) throw new Error('Expected azure.yaml to contain a map "services".');
  const pattern = services.items[0]?.value;
  for (const { name } of pools) if (!services.has(name)) services.set(name, document.createNode(clone(pattern)));
  const wanted = new Set(pools.map(({ name }) => name));
  services.items = services.items.filter(({ key }) => wanted.has(String(isScalar(key) ? key.value : key)));
  return document.toString({ lineWidth: 0 });
}

const clone = (node: unknown): unknown => (isMap(node) ? node.toJSON() : {});
