import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Connections } from 'functions-local';
import { DEFAULTS } from '../../../shared/settings.ts';

export interface FaultSettings extends Connections {
  /** The folder created by `buildAppCopy`. */
  appFolder: string;
  subscription: string;
  /** Milliseconds by which the clock of each instance is ahead of the services'; defaults to 0. */
  clockOffsetsMs?: readonly number[];
  /** Folder for files that count handler calls; by default, they are not counted. */
  callsFolder?: string;
}

/** No timer of the app may interfere: a test runs its own sweeps. */
const NEVER = '0 0 0 29 2 *';

/** The lease on a message: the shortest that an instance holds. */
export const LEASE_MS = 4_000;

/** Creates the app's settings for fault tests: leases and slices of seconds, one thread per host. */
export function faultSettings(options: FaultSettings): Record<string, string> {
  const { appFolder, storage, serviceBus, subscription, clockOffsetsMs, callsFolder } = options;
  return {
    ...DEFAULTS,
    FUNCTIONS_WORKER_RUNTIME: 'node',
    AzureWebJobsStorage: storage,
    SluiceStorage: storage,
    SluiceServiceBus: serviceBus,
    SLUICE_TASK_HUB: 'sluice',
    SLUICE_SUBSCRIPTION: subscription,
    SLUICE_SWEEP_SCHEDULE: NEVER,
    SLUICE_THREADS: '1',
    SLUICE_SLICE_SECONDS: '2',
    SLUICE_VISIBILITY_SECONDS: String(LEASE_MS / 1_000),
    ...(callsFolder === undefined ? {} : { FAULT_CALLS_FOLDER: callsFolder }),
    ...(clockOffsetsMs ? shiftedClocks(appFolder, clockOffsetsMs) : {}),
  };
}

const shiftedClocks = (appFolder: string, offsetsMs: readonly number[]): Record<string, string> => ({
  FAULT_CLOCK_OFFSETS_MS: offsetsMs.join(','),
  NODE_OPTIONS: `--import=${pathToFileURL(join(appFolder, 'dist/tests/helpers/shifted-clock.js'))}`,
});
