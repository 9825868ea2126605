/**
 * The checks that only a subscription can answer, as one table; docs/azure-status.md has the same one for readers. No check
 * changes anything but `smoke` and `pools`, which submit a small batch.
 */
import { coldStart, health, instances, keys, otherPools, runtime, smokeOf, timers } from './app-checks.ts';
import { duplicates, matchAll, wakes } from './bus-checks.ts';
import { type Check, findingOf } from './check.ts';
import { alerts, budget, diagnostics, prices, shared, versions } from './group-checks.ts';
import { busPolling, durablePolling } from './idle-checks.ts';

/** All checks in the order in which they are made: `cold-start` has to be the first that asks an app. */
export const CHECKS: readonly Check[] = [
  {
    id: 'cold-start',
    about: 'Time of the first answer of an app without instances',
    expects: 'an app that was idle answers within 30 s',
    run: coldStart,
  },
  {
    id: 'roles',
    about: 'Role assignments have effect: each app reads its tables, queues and containers by its identity',
    expects: '200 of GET /api/health?deep for each app',
    run: health,
  },
  {
    id: 'keys',
    about: 'No request is served without a key',
    expects: '401 of GET /api/batches for each app',
    run: keys,
  },
  {
    id: 'smoke',
    about: 'Upload to report, from the acceptance on; after an idle half hour this is the wake from zero',
    expects: 'the smoke test passes; its lines say how long it took',
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
    about: 'Wake events are taken',
    expects: 'no event waits in a wake subscription, and none is a dead letter',
    run: wakes,
  },
  { id: 'runtime', about: 'Version of Node.js', expects: 'node 22 or 24 for each app', run: runtime },
  {
    id: 'instances',
    about: 'Memory and most instances',
    expects: 'as in infra/pools.json for each pool',
    run: instances,
  },
  {
    id: 'timers',
    about: 'Timers are registered for every pool',
    expects: 'each app has the function sweep, and collect-inbox where it has an inbox schedule',
    run: timers,
  },
  {
    id: 'storage-keys',
    about: 'Storage takes identities only',
    expects: 'shared keys and public blobs are off and TLS is 1.2 for each storage account',
    run: shared,
  },
  {
    id: 'durable-polling',
    about: 'How often the platform polls the durable queues while idle',
    expects:
      'in the quietest hour of the last day at most 1.25 times the computed 1,440 operations per pool (34,560 per day)',
    run: durablePolling,
  },
  {
    id: 'bus-polling',
    about: 'How often the platform asks Service Bus while idle',
    expects: 'in the quietest hour of the last day at most 1.25 times the assumed 1,500 requests per pool',
    run: busPolling,
  },
  {
    id: 'versions',
    about: 'The version strategy of host.json has effect after a second deployment',
    expects: 'drains of the old version were taken over, and none was replayed against other code',
    run: versions,
  },
  { id: 'alerts', about: 'Alert rules', expects: 'there are some, and all are enabled', run: alerts },
  { id: 'budget', about: 'Budget of the group, where one was asked for', expects: 'it has notifications', run: budget },
  {
    id: 'diagnostics',
    about: 'Diagnostic settings, where they were asked for',
    expects: 'Service Bus and each app have one',
    run: diagnostics,
  },
  {
    id: 'prices',
    about: 'Prices of the region, from the Azure Retail Prices API',
    expects: 'the list is saved, to be compared with the price sheet',
    run: prices,
  },
];
