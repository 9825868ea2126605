/**
 * Facts about the platform that the code relies on, one entry for each: where it was read, where the code uses it, how the
 * local stack behaves, and how `npm run verify-azure` checks it. `npm run generate` writes the tables of docs/azure-status.md
 * and of packages/functions-local/README.md from them.
 */
export interface PlatformFact {
  /** One sentence. */
  fact: string;
  /** Where it was read: addresses, or owner/repository#number of GitHub. */
  sources: readonly string[];
  /** The files that rely on it, relative to the root. */
  code: readonly string[];
  /** The test that shows it, relative to the root. */
  test: string;
  /** How the local stack copies it, in one sentence; undefined if it has no such part. */
  local?: string;
  /** The ids of the checks of `npm run verify-azure`, or the reason why none can check it. */
  check: readonly string[] | { none: string };
}

/** By topic, in the order of the documents. */
export const FACTS: readonly PlatformFact[] = [
  {
    fact: 'With the addresses of the host storage alone, the host can fail to create its storage client while it starts, and answers 401 or 503; AzureWebJobsStorage__accountName beside them avoids it.',
    sources: ['Azure/azure-functions-host#11787', 'Azure/azure-functions-host#11782'],
    code: ['infra/modules/function-app.bicep'],
    test: 'tests/unit/infra/settings.test.ts',
    check: ['host-storage'],
  },
  {
    fact: 'The settings AzureWebJobsStorage and DEPLOYMENT_STORAGE_CONNECTION_STRING, which operations of the platform re-create, take precedence over the identity even if they are empty.',
    sources: ['Azure/azure-functions-host#11636', 'Azure/azure-functions-host#11796'],
    code: ['infra/after-provision.sh'],
    test: 'tests/unit/infra/scripts/after-provision.test.ts',
    check: ['host-storage'],
  },
  {
    fact: 'The scale controller reads the durable configuration from host.json of the package, without overrides by settings: an app whose backend or hub is overridden does not wake.',
    sources: [
      'Azure/azure-functions-durable-extension#2622',
      'Azure/azure-functions-durable-extension#2803',
      'https://github.com/Azure/azure-functions-host/blob/057ecb9e180485aa9edfe4e567c5f25ef7a672ec/src/WebJobs.Script.WebHost/Management/FunctionsSyncManager.cs',
    ],
    code: ['infra/packaging/versioned-host.ts', 'infra/modules/function-app.bicep'],
    test: 'tests/unit/infra/packaging/versioned-host.test.ts',
    local:
      'An override of extensions.durableTask by a setting is applied, with a warning that the scale controller would not read it.',
    check: ['durable-backend', 'pools'],
  },
  {
    fact: 'An instance of 2,048 MB has one core, one of 4,096 MB two and one of 512 MB a quarter. What os.availableParallelism() returns there is not documented.',
    sources: ['https://learn.microsoft.com/azure/azure-functions/flex-consumption-plan#instance-sizes'],
    code: ['infra/modules/function-app.bicep', 'infra/main.bicep', 'functions/app.ts'],
    test: 'tests/unit/infra/settings.test.ts',
    local:
      'A process has the cores and the memory of the machine; SLUICE_THREADS limits its worker threads as on Azure.',
    check: ['instances'],
  },
  {
    fact: 'A running instance accepts a function key that it has seen until it ends, also after its removal; it finds a new key within a minute.',
    sources: ['Azure/azure-functions-host#4213'],
    code: ['infra/keys.sh'],
    test: 'tests/unit/infra/scripts/keys.test.ts',
    local: 'Keys are read when the host starts: one that is removed from keys.json is accepted until then.',
    check: ['removed-key'],
  },
  {
    fact: 'Schedules of timers are UTC: an app of the Flex Consumption plan has no time zone.',
    sources: ['https://learn.microsoft.com/azure/azure-functions/functions-scale'],
    code: ['infra/modules/function-app.bicep'],
    test: 'packages/functions-local/tests/unit/host/timer/ncrontab.test.ts',
    local: 'Schedules of timers are UTC.',
    check: ['timers'],
  },
  {
    fact: 'An invocation that exceeds functionTimeout ends the whole worker process with all its invocations.',
    sources: ['https://learn.microsoft.com/azure/azure-functions/functions-host-json#functiontimeout'],
    code: ['shared/drain/host-limits.ts'],
    test: 'tests/integration/failures/function-timeout.test.ts',
    local: 'An invocation that exceeds functionTimeout ends its process and all its invocations; a new process starts.',
    check: { none: 'it would need a deployed function that never ends' },
  },
  {
    fact: 'With the update strategy Recreate, the default of Flex Consumption, a deployment and each changed setting end running executions by force, within up to 30 s.',
    sources: ['https://learn.microsoft.com/azure/azure-functions/flex-consumption-site-updates'],
    code: ['infra/pause.sh', 'infra/resume.sh', 'infra/publish.sh', 'infra/provision.sh'],
    test: 'tests/integration/failures/gentle-deployment.test.ts',
    local: '`kill()` ends the executions of an instance by force, as an update with Recreate does.',
    check: ['update-strategy'],
  },
  {
    fact: 'Resource Manager accepts siteUpdateStrategy in functionAppConfig from version 2024-11-01 on, although the type definitions do not have it.',
    sources: ['https://learn.microsoft.com/azure/azure-functions/flex-consumption-site-updates'],
    code: ['infra/main.bicep'],
    test: 'tests/unit/infra/options.test.ts',
    check: ['update-strategy'],
  },
  {
    fact: 'Resource Manager stores the hash of the template and the values of all parameters with each deployment, and computes the same hash for a template on request.',
    sources: ['https://learn.microsoft.com/rest/api/resources/deployments/calculate-template-hash'],
    code: ['infra/provision.sh'],
    test: 'tests/unit/infra/scripts/pause.test.ts',
    check: {
      none: 'it would need the template: call `sluice azure provision` twice, the second time nothing has changed',
    },
  },
  {
    fact: 'The platform starts one instance for each maxConcurrentActivityFunctions activities that wait or run, so that fewer planned tasks start fewer instances.',
    sources: [
      'https://github.com/Azure/azure-functions-durable-extension/blob/dev/src/WebJobs.Extensions.DurableTask/Listener/DurableTaskTargetScaler.cs',
    ],
    code: ['shared/gate/planning/pool-share.ts', 'infra/modules/function-app.bicep'],
    test: 'tests/unit/gate/planning/pool-share.test.ts',
    check: ['instances'],
  },
  {
    fact: 'A replay reads the whole history of its execution, two rows per activity and two per replay; a page of a table query has at most 1,000 rows.',
    sources: [
      'https://github.com/Azure/durabletask/blob/main/src/DurableTask.AzureStorage/Tracking/AzureTableTrackingStore.cs',
      'https://learn.microsoft.com/azure/azure-functions/durable/durable-functions-azure-storage-provider',
      'https://learn.microsoft.com/rest/api/storageservices/query-timeout-and-pagination',
    ],
    code: ['shared/gate/planning/slice-result.ts', 'shared/drain/drain-queue.ts'],
    test: 'tests/unit/drain/drain-queue.test.ts',
    check: { none: 'it would need waves of hundreds of tasks' },
  },
  {
    fact: 'Each timer runs on instances of its own, so timers that are due at the same second start one instance each.',
    sources: ['https://learn.microsoft.com/azure/azure-functions/event-driven-scaling'],
    code: ['infra/modules/function-app.bicep'],
    test: 'tests/unit/infra/packaging/pools.test.ts',
    check: ['timers'],
  },
  {
    fact: 'A streamed answer whose body fails stays open until functionTimeout, unless the app ends its connection; then the worker ends.',
    sources: ['Azure/azure-functions-nodejs-library#324'],
    code: ['shared/http/edge/connection.ts'],
    test: 'tests/unit/http/edge/connection.test.ts',
    check: { none: 'it would need a failure of storage in the middle of an answer' },
  },
  {
    fact: 'A start with the id of an unfinished orchestration is refused with 409, and its purge with 412.',
    sources: ['https://www.nuget.org/packages/Microsoft.Azure.WebJobs.Extensions.DurableTask/3.19.0'],
    code: ['shared/drain/limited-client.ts'],
    test: 'packages/functions-local/tests/integration/durable/lifecycle.test.ts',
    local: 'A start with the id of an unfinished orchestration is refused with 409, and its purge with 412.',
    check: { none: 'the app neither purges by id nor reads the status of a refused start' },
  },
  {
    fact: 'In the parameters of a route, an encoded slash stays encoded. With streams, they also contain the query.',
    sources: ['https://github.com/Azure/azure-functions-host/tree/89dc438'],
    code: ['shared/http/routes.ts'],
    test: 'packages/functions-local/tests/integration/host/http-stream.test.ts',
    local: 'In the parameters of a route, an encoded slash stays encoded. With streams, they also contain the query.',
    check: { none: 'no route of the app has a parameter that may contain a slash' },
  },
];
