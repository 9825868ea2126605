/**
 * The checks that require an Azure subscription, as one table; docs/azure-status.md contains the same table. Only `smoke` and
 * `pools` change anything: they submit a small batch.
 */
import {
  coldStart,
  durableBackend,
  health,
  hostStorage,
  instances,
  keys,
  otherPools,
  removedKey,
  runtime,
  smokeOf,
  timers,
  updateStrategy,
} from './app-checks.ts';
import { duplicates, matchAll, wakes } from './bus-checks.ts';
import { type Check, findingOf } from './check.ts';
import { alerts, budget, diagnostics, prices, shared, versions } from './group-checks.ts';
import { busPolling, durablePolling } from './idle-checks.ts';

/** All checks in the order in which they run: `cold-start` must be the first one that calls an app. */
export const CHECKS: readonly Check[] = [
  {
    id: 'cold-start',
    about: 'Time until the first answer of an app without instances',
    expects: 'an idle app answers within 30 s',
    run: coldStart,
  },
  {
    id: 'roles',
    about: 'Role assignments are effective: each app reads its tables, queues and containers with its identity',
    expects: 'GET /api/health?deep returns 200 for each app',
    run: health,
  },
  {
    id: 'keys',
    about: 'Requests without a key are refused',
    expects: 'GET /api/batches returns 401 for each app',
    run: keys,
  },
  {
    id: 'removed-key',
    about: 'A removed function key is refused',
    expects: 'GET /api/batches returns 401 for a key that was used, and then removed with sluice azure keys',
    run: removedKey,
  },
  {
    id: 'host-storage',
    about: 'The host uses its storage with the identity of the app',
    expects: 'each app has AzureWebJobsStorage__accountName and no connection string of the host storage',
    run: hostStorage,
  },
  {
    id: 'durable-backend',
    about: 'The package has the durable backend of the deployment, and no setting overrides host.json',
    expects: 'azureManaged with a scheduler in the group, otherwise azureStorage, for each app',
    run: durableBackend,
  },
  {
    id: 'smoke',
    about:
      'A batch from upload to report; after half an hour without work, this includes the start from zero instances',
    expects: 'the smoke test passes; its output contains the duration',
    run: async (context) => findingOf([await smokeOf(context, [])]),
  },
  {
    id: 'pools',
    about: 'The scale controller wakes each further pool',
    expects: 'the smoke test passes with a batch for each further pool',
    run: otherPools,
  },
  {
    id: 'match-all',
    about: 'The match-all rule is absent from each wake subscription',
    expects: 'queue-work-detected is the only rule',
    run: matchAll,
  },
  {
    id: 'duplicates',
    about: 'Duplicate detection of the topic',
    expects: 'on, with a window of ten minutes',
    run: duplicates,
  },
  {
    id: 'wakes',
    about: 'Wake events are received',
    expects: 'no event waits in a wake subscription, and none is dead-lettered',
    run: wakes,
  },
  { id: 'runtime', about: 'Version of Node.js', expects: 'node 22 or 24 for each app', run: runtime },
  {
    id: 'instances',
    about: 'Memory, maximum number of instances and capacity; cores, memory and threads of a process',
    expects:
      'the values of infra/pools.json for each pool, five activities per instance as capacity, and the threads of the setting SLUICE_THREADS',
    run: instances,
  },
  {
    id: 'update-strategy',
    about: 'What a deployment does to running executions',
    expects: 'Recreate (it ends them) or RollingUpdate (they finish) for each app',
    run: updateStrategy,
  },
  {
    id: 'timers',
    about: 'Timers are registered for every pool',
    expects: 'each app has the function sweep, and scan-inbox if it has an inbox schedule',
    run: timers,
  },
  {
    id: 'storage-keys',
    about: 'Storage accepts only identities',
    expects: 'shared keys and public blobs are off and TLS is 1.2 for each storage account',
    run: shared,
  },
  {
    id: 'durable-polling',
    about: 'Number of polls of the durable queues by the platform without work',
    expects:
      'in the quietest hour of the last day at most 1.25 times the computed 1,440 operations per pool (34,560 per day)',
    run: durablePolling,
  },
  {
    id: 'bus-polling',
    about: 'Number of requests of the platform to Service Bus without work',
    expects: 'in the quietest hour of the last day at most 1.25 times the assumed 1,500 requests per pool',
    run: busPolling,
  },
  {
    id: 'versions',
    about: 'The version strategy of host.json is effective after a second deployment',
    expects: 'drains of the old version were replaced, and none was replayed against other code',
    run: versions,
  },
  { id: 'alerts', about: 'Alert rules', expects: 'there is at least one, and all are enabled', run: alerts },
  { id: 'budget', about: 'Budget of the group, if one was deployed', expects: 'it has notifications', run: budget },
  {
    id: 'diagnostics',
    about: 'Diagnostic settings, if they were deployed',
    expects: 'Service Bus and each app have one',
    run: diagnostics,
  },
  {
    id: 'prices',
    about: 'Prices of the region, from the Azure Retail Prices API',
    expects: 'the list is saved, so that it can be compared with the price sheet',
    run: prices,
  },
];
