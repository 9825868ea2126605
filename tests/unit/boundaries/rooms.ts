/** Which folder may import which. */

/** A folder (its path ends in `/`) or a single file. If several match a file, the longest path is its room. */
export interface Room {
  path: string;
  /** Folders and files that it may import, in addition to itself. */
  imports: readonly string[];
  /** Folders and files of which it may import types only. */
  types?: readonly string[];
  /** npm packages; `node:*` for all modules of Node, and `*` for all packages. */
  packages: readonly string[];
  /** Packages that it may not import although `packages` permits them. */
  noPackages?: readonly string[];
  /** Packages of which it may import types only. */
  packageTypes?: readonly string[];
}

/** The rooms of `shared/` in their order: each imports only earlier ones. */
const ORDER = [
  'shared/contract/',
  'shared/workload/',
  'shared/storage/',
  'shared/batches/',
  'shared/events/',
  'shared/gate/',
  'shared/queues/',
  'shared/limits/',
  'shared/intake/',
  'shared/drain/',
  'shared/processing/',
  'shared/results/',
  'shared/commands/',
  'shared/sweep/',
] as const;
type Ordered = (typeof ORDER)[number];

/** They import only `contract/`, so that every room may import them. */
const SIDES = ['shared/cost/', 'shared/telemetry/'];
/** Files without imports. */
const LEAVES = [
  'shared/app-folder.ts',
  'shared/days.ts',
  'shared/errors.ts',
  'shared/groups-of.ts',
  'shared/lazily.ts',
  'shared/parallel.ts',
  'shared/pauses.ts',
  'shared/shell-word.ts',
  'shared/slots.ts',
  'shared/time-limit.ts',
  'shared/turns.ts',
];
const APP_FOLDER = 'shared/app-folder.ts';
const SETTINGS = 'shared/settings.ts';
const PIPELINE = 'shared/pipeline.ts';
const HTTP = 'shared/http/';
const CLIENT = 'shared/client/';
/** All rooms of `shared/` that depend neither on HTTP nor on how the parts are put together. */
const CORE = [...ORDER, ...SIDES, ...LEAVES, SETTINGS];

const DATA_SDKS = ['@azure/data-tables', '@azure/storage-blob', '@azure/storage-queue'];
const STORAGE_SDKS = [...DATA_SDKS, '@azure/service-bus'];

const ordered = (path: Ordered, packages: readonly string[], packageTypes: readonly string[] = []): Room => ({
  path,
  imports: [...ORDER.slice(0, ORDER.indexOf(path)), ...SIDES, ...LEAVES],
  types: [SETTINGS],
  packages,
  packageTypes,
});

const LOCAL = 'packages/functions-local/';
const BICEP = 'packages/bicep-check/';
const CONVERT = 'packages/convert/';

export const ROOMS: readonly Room[] = [
  { path: 'shared/contract/', imports: [], packages: ['zod', 'node:crypto', 'node:stream', 'node:util', 'node:zlib'] },
  { path: 'shared/workload/', imports: ['shared/contract/'], packages: [], packageTypes: ['@standard-schema/spec'] },
  // The types of an item: of its schema, of cells, and of a sample.
  { path: 'shared/workload/types/', imports: [], types: ['shared/workload/item-schema.ts'], packages: ['zod'] },
  ordered('shared/storage/', [...STORAGE_SDKS, '@azure/identity', 'node:*'], ['@azure/core-auth']),
  ordered('shared/batches/', ['node:crypto', 'node:util'], ['@azure/storage-blob']),
  ordered('shared/events/', ['node:crypto', 'node:timers/promises'], STORAGE_SDKS),
  ordered('shared/gate/', ['zod'], DATA_SDKS),
  ordered('shared/queues/', ['node:crypto'], DATA_SDKS),
  ordered('shared/limits/', []),
  ordered('shared/intake/', ['node:*'], STORAGE_SDKS),
  {
    path: 'shared/intake/parse/',
    imports: ['shared/contract/', 'shared/errors.ts', 'shared/intake/limits.ts', 'shared/workload/types/'],
    types: ['shared/workload/item-schema.ts'],
    packages: ['node:buffer', 'node:stream', 'node:util', 'node:zlib'],
  },
  ordered('shared/drain/', ['zod', 'durable-functions', 'node:os', 'node:timers/promises'], STORAGE_SDKS),
  ordered('shared/processing/', ['piscina', 'node:*'], [...STORAGE_SDKS, '@standard-schema/spec']),
  {
    // The worker thread's side: it shares only data with the main thread's side.
    path: 'shared/processing/thread/',
    imports: [
      ...['shared/processing/outcome/', 'shared/processing/sources.ts', 'shared/contract/', 'shared/workload/'],
      ...['shared/limits/permits.ts', 'shared/limits/process-clock.ts', 'shared/storage/', ...SIDES, ...LEAVES],
    ],
    types: [SETTINGS],
    packages: ['piscina', 'node:*'],
    packageTypes: [...STORAGE_SDKS, '@standard-schema/spec'],
  },
  ordered('shared/results/', ['zod', 'node:timers/promises'], STORAGE_SDKS),
  ordered('shared/commands/', ['zod', 'node:crypto'], STORAGE_SDKS),
  ordered('shared/sweep/', ['durable-functions'], STORAGE_SDKS),

  { path: 'shared/cost/', imports: ['shared/contract/'], packages: ['zod', 'node:*'], packageTypes: STORAGE_SDKS },
  {
    path: 'shared/telemetry/',
    imports: ['shared/contract/'],
    packages: ['@opentelemetry/api', 'node:async_hooks'],
  },
  {
    path: 'shared/telemetry/export/',
    imports: ['shared/telemetry/', 'shared/contract/'],
    types: [SETTINGS],
    packages: [
      ...['@azure/identity', '@azure/monitor-opentelemetry-exporter', '@opentelemetry/api'],
      ...['@opentelemetry/exporter-metrics-otlp-http', '@opentelemetry/exporter-trace-otlp-http'],
      ...['@opentelemetry/resources', '@opentelemetry/sdk-metrics', '@opentelemetry/sdk-trace-base'],
    ],
  },
  ...LEAVES.filter((path) => path !== APP_FOLDER).map((path) => ({ path, imports: [], packages: [] })),
  // Looks for the folder of the app.
  { path: APP_FOLDER, imports: [], packages: ['node:fs', 'node:path', 'node:url'] },
  // What workloads import as `sluice`.
  { path: 'shared/index.ts', imports: ['shared/workload/'], packages: [] },
  { path: SETTINGS, imports: ['shared/contract/'], packages: [] },
  {
    path: HTTP,
    imports: [...ORDER, ...SIDES, ...LEAVES],
    types: [SETTINGS],
    packages: ['zod', 'node:crypto', 'node:diagnostics_channel', 'node:zlib'],
    packageTypes: ['@azure/functions', 'node:http', ...STORAGE_SDKS],
  },
  {
    // For programs outside of the app, also for browsers.
    path: CLIENT,
    imports: ['shared/contract/text/exact-json.ts'],
    types: [HTTP],
    packages: [],
    packageTypes: ['zod'],
  },
  { path: PIPELINE, imports: CORE, packages: ['node:crypto'] },

  {
    // Runs a workload in memory, for tests and the command line; nothing of the app imports it.
    path: 'shared/kit/',
    imports: [...ORDER, ...SIDES, ...LEAVES, SETTINGS],
    packages: ['piscina', 'node:timers/promises'],
  },
  {
    path: 'functions/',
    imports: [
      ...['shared/cost/sheet.ts', 'shared/drain/', 'shared/intake/inbox/', 'shared/sweep/', 'shared/telemetry/'],
      ...['shared/events/', 'shared/gate/gate.ts', SETTINGS, PIPELINE, HTTP],
      ...['shared/intake/submit-items.ts', 'shared/workload/registry.ts'],
      'web/assets.ts',
    ],
    packages: ['@azure/functions', 'durable-functions', 'node:crypto', 'node:fs', 'node:os', 'node:url'],
  },
  // The entry of this app, as a user writes it.
  { path: 'functions/sluice.ts', imports: ['workloads/index.ts', 'host.json'], packages: ['sluice/functions'] },
  {
    // Users write workloads: with any package, but not around the pipeline. A handler may send to a bus of its own.
    path: 'workloads/',
    imports: [],
    packages: ['*'],
    noPackages: ['@azure/functions', 'durable-functions', 'functions-local', ...DATA_SDKS],
  },
  { path: 'workloads/thread.ts', imports: ['workloads/'], packages: ['sluice/thread'] },
  {
    path: 'cli/',
    imports: [
      CLIENT,
      ...['shared/contract/', 'shared/errors.ts', 'shared/batches/batch-row.ts', 'shared/parallel.ts'],
      ...['shared/http/edge/csv.ts', 'shared/intake/parse/csv-options.ts', 'shared/pauses.ts'],
    ],
    types: ['shared/gate/', HTTP],
    packages: ['commander', 'sluice-convert', '@azure/identity', '@azure/storage-blob', 'node:*'],
    packageTypes: ['zod'],
  },
  {
    // Reads and runs on this machine what the app reads and runs in Azure.
    path: 'cli/try/',
    imports: [
      ...['cli/', CLIENT, 'shared/contract/', 'shared/cost/', 'shared/errors.ts', 'shared/intake/', 'shared/kit/'],
      ...['shared/app-folder.ts', 'shared/shell-word.ts', 'shared/workload/'],
    ],
    packages: ['node:*'],
  },
  {
    // Calls the scripts of the deployment, and writes what follows from the workloads of the app.
    path: 'cli/azure/',
    imports: ['cli/', APP_FOLDER],
    types: ['shared/workload/'],
    packages: ['node:*'],
    packageTypes: ['commander'],
  },
  {
    // Compares an app with its package.
    path: 'cli/doctor/',
    imports: ['cli/', 'shared/settings.ts'],
    types: ['shared/workload/'],
    packages: ['semver', 'node:*'],
    packageTypes: ['commander'],
  },
  // Each loads what it needs when it is called.
  {
    path: 'cli/commands/app.ts',
    imports: ['cli/', 'infra/packaging/', APP_FOLDER],
    packages: ['node:path'],
    packageTypes: ['commander'],
  },
  {
    path: 'cli/new-workload/',
    imports: [
      ...['cli/', 'shared/contract/', 'shared/errors.ts', 'shared/intake/', 'shared/kit/', 'shared/shell-word.ts'],
      ...['shared/workload/types/', APP_FOLDER],
    ],
    types: ['shared/workload/'],
    packages: ['node:*'],
  },
  {
    path: 'web/',
    imports: [
      CLIENT,
      ...['shared/contract/text/exact-json.ts', 'shared/contract/text/overview-texts.ts'],
      ...['shared/contract/upload-kinds.ts', 'shared/days.ts', 'shared/gate/planning/count-tasks.ts'],
    ],
    types: [HTTP],
    packages: ['@preact/signals', '@tanstack/query-core', 'diff', 'preact', 'uplot'],
  },
  {
    // Runs an app on the local stack, wherever its folder is.
    path: 'local/',
    imports: [
      ...['cli/', 'host.json', 'shared/contract/', 'shared/drain/host-limits.ts', SETTINGS],
      ...[APP_FOLDER, 'shared/intake/parse/csv-options.ts', 'shared/shell-word.ts'],
    ],
    types: [HTTP, 'shared/workload/registry.ts'],
    packages: ['functions-local', 'node:*'],
  },
  // Starts it for the commands that run an app, when one is given.
  { path: 'cli/main.ts', imports: ['cli/', 'local/commands.ts'], packages: [] },
  {
    path: 'demo/',
    imports: ['cli/app-commands.ts', 'cli/text/', 'local/', 'shared/contract/', 'workloads/'],
    packages: ['functions-local', '@azure/storage-blob', 'sharp', 'node:*'],
  },
  {
    path: 'infra/',
    imports: ['local/entities.ts', 'shared/contract/', 'workloads/', 'cli/', 'demo/usage/generate.ts'],
    types: [HTTP],
    packages: ['esbuild', 'fflate', 'functions-local', 'node:*'],
  },
  {
    path: 'bench/',
    imports: [
      ...['shared/contract/', 'shared/workload/', 'shared/cost/operation-of.ts', 'shared/drain/backoff.ts'],
      ...['shared/intake/', 'shared/parallel.ts', 'shared/processing/'],
      ...[
        'cli/',
        'demo/',
        'local/',
        'workloads/billing.ts',
        'tests/helpers/app-copy.ts',
        'tests/helpers/repository-copy.ts',
      ],
      'tests/door/',
    ],
    packages: [
      ...['functions-local', '@azure/service-bus', '@azure/storage-blob', '@azure/storage-queue'],
      ...['p-map', 'zod', 'node:*'],
    ],
    packageTypes: ['@standard-schema/spec'],
  },
  // Writes what is derived from the table of routes, for `npm run generate`.
  { path: 'tools/api/', imports: [HTTP, 'shared/errors.ts'], packages: ['node:*'] },
  // Reads the built declarations, for `npm run api-report`.
  { path: 'tools/api-report/', imports: [], packages: ['@microsoft/api-extractor', 'node:*'] },
  // The cost model of `npm run cost`; nothing of the app imports it.
  { path: 'tools/platform/', imports: ['infra/'], packages: ['node:fs'] },
  { path: 'tools/cli-page/', imports: ['cli/'], packages: ['node:fs'], packageTypes: ['commander'] },
  {
    path: 'tools/cost/',
    imports: ['shared/cost/', 'shared/contract/', 'shared/errors.ts', 'cli/text/', 'cli/process/'],
    packages: ['zod', 'node:*'],
  },
  // A separate package, which is installed only for its measurements.
  {
    path: 'bench/peers/',
    imports: ['bench/contenders/', 'bench/measures/digest.ts'],
    types: ['bench/measures/peers.ts'],
    packages: ['bullmq', 'graphile-worker', 'pg-boss', 'node:*'],
  },
  // Users copy them, so they import nothing of the repository.
  { path: 'docs/examples/', imports: [], packages: ['@azure/identity', '@azure/service-bus', 'node:*'] },
  { path: 'tests/', imports: [''], packages: ['*'] },
  { path: 'vitest.config.ts', imports: [], packages: ['vitest'] },

  {
    path: LOCAL,
    imports: [],
    packages: [
      '@azure/data-tables',
      '@azure/service-bus',
      '@azure/storage-blob',
      'azurite',
      'commander',
      'rhea',
      'node:*',
    ],
  },
  {
    path: `${LOCAL}src/storage/`,
    imports: [`${LOCAL}src/random.ts`, `${LOCAL}src/local-request.ts`],
    packages: ['node:*'],
  },
  {
    path: `${LOCAL}src/testing/`,
    imports: [LOCAL],
    packages: ['durable-functions', 'node:*'],
  },
  { path: `${LOCAL}tests/`, imports: [LOCAL], packages: ['*'] },

  { path: CONVERT, imports: [], packages: ['hyparquet', 'sax', 'yauzl', 'node:*'] },
  {
    path: `${CONVERT}tests/`,
    imports: [CONVERT, 'tests/helpers/data/tables.ts'],
    packages: ['fflate', 'vitest', 'node:*'],
  },

  // An app of a user, on the package.
  { path: 'packages/create-sluice/template/', imports: [], packages: ['sluice', 'vitest', 'zod'] },

  // For the tests of infra/ only; the package of the app does not contain it.
  { path: BICEP, imports: [], packages: ['node:*'] },
  { path: `${BICEP}tests/`, imports: [BICEP], packages: ['vitest', 'node:*'] },
];
