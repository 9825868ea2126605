/** The baselines: designs with one message per item. */
import { formatCount } from '../../cli/text/format.ts';
import { forkContender } from '../contenders/fork.ts';
import type { BenchStack } from '../stack/stack.ts';
import { fastest, type Measurement, rateOf } from './measurement.ts';

/** The baselines by name. */
export interface Baselines {
  listener: Measurement;
  queueTrigger: Measurement;
  poller: Measurement;
}

/** Enough to show that the interval alone determines the rate. */
const POLLER_ITEMS = 5;
const WARM_UP_ITEMS = 500;
/** The task numbers of the paper's rule, which does not consider the machine; the best result counts. */
const LISTENER_TASKS = [10, 50, 100];

/** Measures the baselines with `items` items each, except the poller, which gets fewer. */
export async function measureBaselines(stack: BenchStack, items: number): Promise<Baselines> {
  const listeners: Measurement[] = [];
  for (const tasks of LISTENER_TASKS) listeners.push(await baseline(stack, 'listener', items, tasks));
  return {
    listener: fastest(listeners),
    queueTrigger: await baseline(stack, 'queueTrigger', items),
    poller: await baseline(stack, 'poller', POLLER_ITEMS),
  };
}

/** A separate process for each; the first run is its warm-up. */
async function baseline(
  { azurite }: BenchStack,
  contender: keyof Baselines,
  items: number,
  tasks = 1,
): Promise<Measurement> {
  const child = forkContender();
  const storage = azurite.process.ready;
  const order = { contender, tasks, storage, queue: `bench-${contender.toLowerCase()}-0` };
  await child.run({ ...order, items: contender === 'poller' ? 1 : WARM_UP_ITEMS });
  await azurite.takeRequests();
  const done = await child.run({ ...order, items });
  // The queue is created once, independent of the number of items.
  const { 'queue.create': _made, ...operations } = await azurite.takeRequests();
  const measurement = { ...done, operations, actions: 0 };
  await child.end();
  process.stdout.write(
    `  ${contender}, ${tasks === 1 ? '' : `${tasks} tasks, `}${items} items: ${formatCount(rateOf(measurement))} items/s\n`,
  );
  return measurement;
}
