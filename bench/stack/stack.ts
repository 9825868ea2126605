/** The real app on the local stack, over an Azurite in memory that several measurements share. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  FILES,
  FIRST_HOST,
  freePort,
  launchBroker,
  launchHost,
  logFile,
  makeStorage,
  type RunningProcess,
  readKeys,
  startPart,
} from 'functions-local';
import { sluiceStack } from '../../demo/stack.ts';
import { entities } from '../../local/entities.ts';
import { registry } from '../app/registry.ts';
import { type CountedAzurite, startCountedAzurite } from './azurite.ts';
import { type Events, listen } from './events.ts';

/** How durable work is delivered: immediately, as by the Durable Task Scheduler, or by polling, as by Azure Storage. */
export type DurableDelays = 'push' | 'azure';

export interface BenchStackOptions {
  folder: string;
  appFolder: string;
  delays?: DurableDelays;
  /** Settings that override the usual ones. */
  settings?: Record<string, string>;
}

/** The running app, with a listener for its events. */
export interface BenchStack {
  url: string;
  key: string;
  azurite: CountedAzurite;
  host: RunningProcess<string>;
  events: Events;
  /** Actions of orchestrations so far, as the Durable Task Scheduler bills them: 1 for a start, 2 for an activity. */
  actions(): Promise<number>;
}

/** On 29 February: the bench counts the cost of work, and the timers have a separate measurement. */
const NEVER = '0 0 0 29 2 *';

/**
 * Starts storage, broker and host, passes them to `work`, and stops them. Also throws if one of them ends unexpectedly.
 */
export async function onBenchStack<T>(options: BenchStackOptions, work: (stack: BenchStack) => Promise<T>): Promise<T> {
  const death = Promise.withResolvers<never>();
  death.promise.catch(() => {}); // Raced below; a part may end before that.
  const stops: (() => Promise<unknown>)[] = [];
  const start = async (launch: () => Promise<RunningProcess<string>>): Promise<RunningProcess<string>> => {
    const part = await startPart(launch, (message) => death.reject(new Error(message)));
    stops.unshift(part.stop);
    return part.process;
  };
  try {
    const stack = await startParts(options, start);
    stops.unshift(stack.events.close);
    return await Promise.race([work(stack), death.promise]);
  } finally {
    for (const stop of stops) await stop();
  }
}

type Start = (launch: () => Promise<RunningProcess<string>>) => Promise<RunningProcess<string>>;

async function startParts(options: BenchStackOptions, start: Start): Promise<BenchStack> {
  const { folder, appFolder, delays = 'push' } = options;
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILES.entities), JSON.stringify(withListener(entities(registry))));
  const azurite = await startCountedAzurite(folder, start);
  const storage = azurite.process.ready;
  const { layout, settings } = sluiceStack(folder);
  await makeStorage(storage, layout);
  const brokerPort = await freePort();
  const broker = await start(() => launchBroker(folder, brokerPort));
  const launch = {
    appFolder,
    port: await freePort(),
    settings: {
      ...settings({ storage, serviceBus: broker.ready }),
      SLUICE_SWEEP_SCHEDULE: NEVER,
      SLUICE_INBOX_SCHEDULE: NEVER,
      ...options.settings,
    },
    args: ['--durable-delays', delays],
  };
  const host = await start(() => launchHost(folder, launch));
  const { function: key } = await readKeys(folder);
  const events = await listen(broker.ready);
  return { url: host.ready.replace(/\/$/, ''), key, azurite, host, events, actions: () => actionsIn(folder) };
}

interface Entities {
  UserConfig: { Namespaces: { Topics: { Subscriptions: unknown[] }[] }[] };
}

/** Adds a subscription for all events, so that the bench can follow the work without storage requests. */
function withListener(config: unknown): unknown {
  const entities = config as Entities;
  const Rules = [{ Name: 'all', Properties: { FilterType: 'Sql', SqlFilter: { SqlExpression: '1 = 1' } } }];
  const Properties = { DefaultMessageTimeToLive: 'PT1H', LockDuration: 'PT1M', MaxDeliveryCount: 10 };
  entities.UserConfig.Namespaces[0]?.Topics[0]?.Subscriptions.push({ Name: 'bench', Properties, Rules });
  return entities;
}

/**
 * Counts actions in the host's log of executions: an activity is two actions, and each drain that ended was started
 * once.
 */
async function actionsIn(folder: string): Promise<number> {
  const log = await readFile(logFile(folder, FIRST_HOST), 'utf8');
  const activities = log.match(/Executing 'Functions\.(dequeue-batch|finish-wave)'/g) ?? [];
  const starts = log.match(/drain-ended/g) ?? [];
  return activities.length * 2 + starts.length;
}
