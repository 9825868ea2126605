/**
 * The files that may access the clock, the network and other external effects, and the files that an orchestrator may
 * load.
 */
import { ORCHESTRATOR_FILES, ORCHESTRATOR_PACKAGES } from '../../../infra/packaging/versioned-host.ts';
import type { Source } from './read-source.ts';

/** An external effect, and the code that may access it. */
export interface Effect {
  name: string;
  /** Names as in `names` of a {@link Source}, in which `*` stands for any text. */
  uses: readonly string[];
  /** Modules that serve only this effect. */
  modules: readonly string[];
  /** Folders and files that may access it. */
  allowed: readonly string[];
}

/** A handler may access everything that its work needs. */
const HANDLERS = 'workloads/';
/** Separate programs, and tests. */
const PROGRAMS = [
  'demo/',
  'local/',
  'bench/',
  'docs/examples/',
  'infra/',
  'tests/',
  'tools/',
  'vitest.config.ts',
  'packages/',
];

/** Files that are not listed receive the effect as an argument. */
export const EFFECTS: readonly Effect[] = [
  {
    name: 'the environment of the process',
    uses: ['process'],
    modules: ['node:process'],
    // A thread handles the errors that no code awaited, and ends itself to be replaced; a handler finds the address of
    // its service there.
    allowed: [
      ...[
        'functions/app.ts',
        'shared/processing/thread/calls/flight.ts',
        'shared/processing/thread/serve.ts',
        HANDLERS,
      ],
      'shared/drain/instance-load.ts',
      ...['cli/process/io.ts', 'cli/main.ts', 'cli/sluice.ts', 'shared/app-folder.ts'],
      'cli/new-workload/format-text.ts',
      // Finds the app in the working folder.
      'shared/kit/run-items.ts',
      ...PROGRAMS,
    ],
  },
  {
    name: 'the clock',
    uses: ['Date.now', 'Date()', 'new Date()', 'Date as a value', 'performance'],
    modules: ['node:perf_hooks'],
    allowed: [
      ...['shared/cost/meter.ts', 'shared/storage/policies/retry-policy.ts', 'shared/events/coalesce.ts'],
      'shared/drain/instance-load.ts',
      'shared/processing/threads/processor.ts',
      ...['shared/processing/thread/calls/flight.ts', 'shared/processing/thread/calls/run-units.ts'],
      'shared/http/edge/request/request-body.ts',
      ...['shared/limits/process-clock.ts', 'shared/results/collect-batch.ts', 'shared/pipeline.ts'],
      'shared/turns.ts',
      ...['functions/', 'cli/', 'shared/kit/', 'web/', HANDLERS],
      ...PROGRAMS,
    ],
  },
  {
    name: 'random numbers',
    uses: ['Math.random', 'Math as a value', 'crypto', '*randomUUID', '*randomBytes', '*randomInt'],
    modules: [],
    allowed: [
      ...['shared/contract/names.ts', 'shared/storage/lost-race.ts', 'shared/storage/policies/retry-policy.ts'],
      ...['shared/events/publish.ts', 'shared/intake/store/store-upload.ts', 'shared/drain/dequeue-task.ts'],
      ...[
        'shared/processing/thread/serve.ts',
        'shared/http/dead-letters/redrive-dead-letters.ts',
        'shared/http/inbox/import-batch.ts',
      ],
      ...['shared/pipeline.ts', 'functions/app.ts', 'cli/process/io.ts', 'web/', HANDLERS],
      ...PROGRAMS,
    ],
  },
  {
    name: 'timers',
    uses: ['setTimeout', 'setInterval', 'setImmediate', 'AbortSignal.timeout', 'AbortSignal as a value'],
    modules: ['node:timers', 'node:timers/promises'],
    allowed: [
      ...['shared/slots.ts', 'shared/time-limit.ts', 'shared/storage/', 'shared/events/coalesce.ts'],
      'shared/turns.ts',
      ...['shared/intake/submit.ts', 'shared/intake/inbox/inbox.ts'],
      'shared/intake/inbox/named-file.ts',
      'shared/intake/inbox/inbox-move.ts',
      ...['shared/drain/dequeue-task.ts', 'shared/drain/task-heartbeat.ts'],
      ...['shared/processing/lease.ts', 'shared/processing/threads/watch.ts'],
      ...['shared/processing/running-chunks.ts', 'shared/processing/publish/round-publisher.ts'],
      ...['shared/limits/quota.ts', 'shared/results/report.ts'],
      ...['shared/processing/threads/threads.ts', 'shared/processing/thread/calls/chunk-run.ts'],
      ...['shared/processing/thread/calls/flight.ts', 'shared/processing/thread/calls/run-units.ts'],
      ...['shared/http/batches/upload/uploads.ts', 'cli/', 'shared/kit/', 'web/', HANDLERS],
      ...PROGRAMS,
    ],
  },
  {
    name: 'the network',
    uses: ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'],
    modules: ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dgram', 'node:dns'],
    allowed: [
      'cli/process/io.ts',
      'cli/upload/send/send.ts',
      'shared/client/client.ts',
      'web/api/',
      HANDLERS,
      ...PROGRAMS,
    ],
  },
  {
    name: 'storage by a client of its own',
    uses: [
      ...['new *ServiceClient', 'new *ContainerClient', 'new *BlobClient', 'new *QueueClient', 'new *TableClient'],
      ...['*ServiceClient as a value', 'ContainerClient as a value', 'BlobClient as a value'],
      ...['QueueClient as a value', 'TableClient as a value', '*.fromConnectionString'],
    ],
    modules: [],
    allowed: ['shared/storage/clients.ts', 'cli/upload/send/inbox.ts', ...PROGRAMS],
  },
  {
    name: 'Service Bus by a client of its own',
    uses: ['new *ServiceBusClient', 'new *AdministrationClient', 'ServiceBus*Client as a value'],
    modules: [],
    allowed: ['shared/storage/clients.ts', HANDLERS, ...PROGRAMS],
  },
  {
    name: 'modules whose name is computed, or the global object as a whole',
    uses: [
      ...['import(…)', 'require(…)', 'createRequire as a value', 'eval', 'Function'],
      ...['globalThis as a value', 'global as a value'],
    ],
    modules: [],
    allowed: [
      // Imports the copy of the build that it has just created.
      'demo/main.ts',
      // Loads the workloads of the app in the working folder.
      'cli/try/load-workloads.ts',
      'infra/packaging/import-time.ts',
      'packages/functions-local/src/host/app/load-app.ts',
      'packages/functions-local/src/stack/storage/azurite-main.ts',
      'packages/functions-local/src/stack/process/standby.ts',
      // A local function has the name `require`.
      'packages/functions-local/src/durable/hub/registration.ts',
      'shared/kit/thread.ts',
      'tests/integration/cli/new-workload.test.ts',
      'tests/unit/infra/scripts/workflows.test.ts',
    ],
  },
];

/**
 * An orchestrator is replayed, so everything it loads must compute the same result at every replay. The rule covers
 * each file that registers an orchestrator and, transitively, every file that it imports by value.
 */
export const ORCHESTRATORS = {
  /** Whatever object the app is taken from; only a registration under a computed name is not found. */
  registeredBy: '*.orchestration',
  files: ORCHESTRATOR_FILES,
  packages: ORCHESTRATOR_PACKAGES,
  /**
   * In addition to all effects. `Intl` formats the current time, and depends on the locale of the machine, as do members
   * that compare or format. A replay must not differ from the first run (`isReplaying`), and a computed member could be
   * any of these.
   */
  uses: [
    ...['Date', 'Intl', 'Promise', '*.isReplaying', '*.localeCompare', '*[…]'],
    ...['String', 'DateString', 'TimeString', 'UpperCase', 'LowerCase'].map((what) => `*.toLocale${what}`),
  ],
};
