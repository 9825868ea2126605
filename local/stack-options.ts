import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Connections, ReloadableOptions } from 'functions-local';
import hostJson from '../host.json' with { type: 'json' };
import { CONTAINERS, TABLES } from '../shared/contract/names.ts';
import { readHostLimits } from '../shared/drain/host-limits.ts';
import { DEFAULTS } from '../shared/settings.ts';
import { entities } from './entities.ts';

/** Returns the content of the host.json of the app in `root`. */
export const hostOf = (root: string): unknown => JSON.parse(readFileSync(join(root, 'host.json'), 'utf8'));

/** The properties of the workloads that the stack needs. */
export interface AppNeeds {
  workloads: readonly { pool: string }[];
  /** Containers that handlers read or write. */
  containers: readonly string[];
  /** The content of the app's host.json. Defaults to that of this package. */
  host?: unknown;
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
      SLUICE_CAPACITY: String(instances * readHostLimits(needs.host ?? hostJson).concurrentActivities),
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
