/** The module that the kit's worker threads load: the workload that a module exports, with the limits of the test. */
import { workerData } from 'piscina';
import { serve } from '../processing/thread/serve.ts';
import type { ThreadTask } from '../processing/thread/thread-task.ts';
import type { Workload } from '../workload/define.ts';
import { createRegistry, type Registry } from '../workload/registry.ts';
import { type CallCounters, countCalls, whileFollowing } from './calls.ts';

/** The data that a thread of the kit receives when it starts. */
export interface KitThreadData {
  /** Address of the module. The workload is its default export, or in the `registry` that it exports. */
  module: string;
  limits: Omit<Workload, 'item' | 'id' | 'map' | 'mapChunk' | 'reduce' | 'lane'>;
  counters: CallCounters;
}

const { module, limits, counters } = workerData as KitThreadData;
const exported = (await import(module)) as { default?: Workload; registry?: Registry };
const found = [exported.registry?.workload(limits.name), exported.default].find((one) => one?.name === limits.name);
if (found === undefined) throw new Error(`${module} exports no workload "${limits.name}".`);
const { workload, stop } = countCalls({ ...found, ...limits }, counters);
const run = serve(createRegistry([workload]));

/** Runs a chunk, until the batch is cancelled. */
// biome-ignore lint/style/noDefaultExport: a thread's file exports its function as default
export default (task: ThreadTask): Promise<unknown> => whileFollowing(task, stop, () => run(task));
