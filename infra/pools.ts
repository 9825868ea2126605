/** `npm run generate`: updates infra/ and azure.yaml with the pools and containers of the workloads. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { registry } from '../workloads/index.ts';
import { mergePools, type Pool, poolNames, servicesYaml } from './packaging/pools.ts';

const poolsFile = join(import.meta.dirname, 'pools.json');
const containersFile = join(import.meta.dirname, 'containers.json');
const azureFile = join(import.meta.dirname, '../azure.yaml');
const known = JSON.parse(await readFile(poolsFile, 'utf8')) as Pool[];
const pools = mergePools(poolNames(registry), known);
await writeFile(poolsFile, `${JSON.stringify(pools, null, 2)}\n`);
await writeFile(azureFile, servicesYaml(await readFile(azureFile, 'utf8'), pools));
await writeFile(containersFile, `${JSON.stringify(registry.containers)}\n`);
console.log(`pools: ${pools.map(({ name, memory }) => `${name} (${memory} MB)`).join(', ')}`);
