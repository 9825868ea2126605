import type { Registry } from '../../shared/workload/registry.ts';

/**
 * A pool as a parameter of infra/main.bicep. The workloads determine which pools exist; the other values are configured in
 * infra/pools.json.
 */
export interface Pool {
  name: string;
  memory: 2048 | 4096;
  maximumInstanceCount: number;
  alwaysReady: { name: string; instanceCount: number }[];
}

/** One core per instance: handlers run in one thread per core. */
const NEW_POOL = { memory: 2048, maximumInstanceCount: 40, alwaysReady: [] } as const;

/** The files of an app that follow from its workloads, relative to its folder. */
export const POOLS_FILE = 'infra/pools.json';
export const CONTAINERS_FILE = 'infra/containers.json';
export const AZURE_FILE = 'azure.yaml';

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
 * Returns the text of azure.yaml with one service per pool. The first service is the template for new ones. Edits
 * lines, because the package has no parser of YAML. Throws an Error if there is no service to copy.
 */
export function servicesYaml(text: string, pools: readonly Pick<Pool, 'name'>[]): string {
  const [, head = '', block = '', rest = ''] = SERVICES.exec(text) ?? [];
  const indent = /^ +(?=[^\s#])/m.exec(block)?.[0];
  if (indent === undefined) throw new Error(`Expected ${AZURE_FILE} to contain a map "services" with a service.`);
  const parts = block.split(new RegExp(`^(?=${indent}[^\\s#])`, 'm'));
  const services = new Map(parts.filter((part) => SERVICE.test(part)).map((part) => [nameOf(part), part]));
  const [pattern = ''] = services.values();
  for (const { name } of pools) if (!services.has(name)) services.set(name, copyOf(pattern, name));
  const wanted = new Set(pools.map(({ name }) => name));
  const kept = [...services].filter(([name]) => wanted.has(name)).map(([, part]) => part.replace(/\n?$/, '\n'));
  return [head, ...parts.filter((part) => !SERVICE.test(part)), ...kept, rest].join('');
}

/** What is before the services, the services with the comments among them, and the rest. */
const SERVICES = /^((?:.*\n)*?services:.*\n)((?:[ #].*\n?|\n)*)([\s\S]*)$/;
const SERVICE = /^ +["']?([^\s#"':]+)["']?:/;

const nameOf = (service: string): string => SERVICE.exec(service)?.[1] ?? '';

/** Returns a service under another name, without comments. */
const copyOf = (service: string, name: string): string =>
  service.replaceAll(/^ *(?:#.*)?\n/gm, '').replace(SERVICE, (line) => line.replace(nameOf(service), name));
