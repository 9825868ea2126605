import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connections, ReloadableOptions } from 'functions-local';
import hostJson from '../host.json' with { type: 'json' };
import { CONTAINERS, TABLES } from '../shared/contract/names.ts';
import { readHostLimits } from '../shared/drain/host-limits.ts';
import { DEFAULTS } from '../shared/settings.ts';
import { entities } from './entities.ts';

/** The folder of the app: one above the sources, two above the built files. */
export const ROOT = resolve(
  dirname(fileURLToPath(import.meta.url)),
  extname(import.meta.url) === '.ts' ? '..' : '../..',
);

/** The properties of the workloads that the stack needs. */
export interface AppNeeds {
  workloads: readonly { pool: string }[];
  /** That handlers read or write. */
  containers: readonly string[];
  /** SQL filters of further subscriptions to the events, by name. Default none. */
  subscriptions?: Readonly<Record<string, string>>;
}

/** What the local stack has to be for this app, wherever its code is: everything that a deployment gets from `infra/`. */
export function stackOptions(
  folder: string,
  needs: AppNeeds,
  overrides: Record<string, string> = {},
  instances = 1,
): ReloadableOptions {
  return {
    folder,
    instances,
    entities: entities(needs, needs.subscriptions),
    layout: { containers: [...Object.values(CONTAINERS), ...needs.containers], tables: Object.values(TABLES) },
    settings: (connections) => ({
      ...sluiceSettings(connections),
      // One activity of each instance is left for results: else they would wait for the end of a whole wave.
      SLUICE_CAPACITY: String(instances * (readHostLimits(hostJson).concurrentActivities - 1)),
      ...overrides,
    }),
  };
}

function sluiceSettings({ storage, serviceBus }: Connections): Record<string, string> {
  return {
    ...DEFAULTS,
    FUNCTIONS_WORKER_RUNTIME: 'node',
    // What the shell asks of Node holds for the instances too: a debugger attaches in this way to them and their threads.
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=8`.trim(),
    AzureWebJobsStorage: storage,
    SluiceStorage: storage,
    SluiceServiceBus: serviceBus,
    SLUICE_TASK_HUB: 'sluice',
    // Someone who drops a file waits for it; a deployment looks every 10 minutes, as each look is billed.
    SLUICE_INBOX_SCHEDULE: '*/10 * * * * *',
  };
}
