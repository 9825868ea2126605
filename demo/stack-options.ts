import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Connections, ReloadableOptions } from 'functions-local';
import hostJson from '../host.json' with { type: 'json' };
import { CONTAINERS, TABLES } from '../shared/contract/names.ts';
import { readHostLimits } from '../shared/drain/host-limits.ts';
import { DEFAULTS } from '../shared/settings.ts';
import { entities } from './entities.ts';

/** The folder of the app: one level above the sources, two above the built files. */
export const ROOT = resolve(
  dirname(fileURLToPath(import.meta.url)),
  extname(import.meta.url) === '.ts' ? '..' : '../..',
);

/** The properties of the workloads that the stack needs. */
export interface AppNeeds {
  workloads: readonly { pool: string }[];
  /** Containers that handlers read or write. */
  containers: readonly string[];
  /** SQL filters of further subscriptions to the events, by name. Defaults to none. */
  subscriptions?: Readonly<Record<string, string>>;
}

/**
 * Returns the options of a local stack for this app, wherever its code is: everything that `infra/` provides in a
 * deployment.
 */
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
      // One activity of each instance remains for results, which would otherwise wait for the end of a whole wave.
      SLUICE_CAPACITY: String(instances * (readHostLimits(hostJson).concurrentActivities - 1)),
      ...overrides,
    }),
  };
}

function sluiceSettings({ storage, serviceBus }: Connections): Record<string, string> {
  return {
    ...DEFAULTS,
    FUNCTIONS_WORKER_RUNTIME: 'node',
    // The shell's options for Node also apply to the instances: this way a debugger attaches to them and their threads.
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --max-semi-space-size=8`.trim(),
    AzureWebJobsStorage: storage,
    SluiceStorage: storage,
    SluiceServiceBus: serviceBus,
    SLUICE_TASK_HUB: 'sluice',
    // A local user waits for the file. A deployment scans the inbox every 10 minutes, because each scan is billed.
    SLUICE_INBOX_SCHEDULE: '*/10 * * * * *',
  };
}
