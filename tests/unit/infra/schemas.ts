/**
 * JSON Schemas of the configuration files of this repository. They are stricter than the published ones: an unknown name is an
 * error. They follow the documentation, because no npm package contains the published schemas (and the one for host.json lacks
 * `storageProvider.type`).
 */
const count = { type: 'integer', minimum: 1 } as const;
const flag = { type: 'boolean' } as const;
const text = { type: 'string', minLength: 1 } as const;
const time = { type: 'string', pattern: '^\\d\\d:[0-5]\\d:[0-5]\\d(\\.\\d{1,7})?$' } as const;
const duration = { type: 'string', pattern: '^P(?!$)(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$' } as const;
const list = (items: object) => ({ type: 'array', items }) as const;
const object = (properties: Record<string, object>, required: string[] = []) =>
  ({ type: 'object', properties, required, additionalProperties: false }) as const;

/** Names that the documentation lists and this app does not use; listed so that they are not reported as typing errors. */
const anything = {} as const;
const known = (...names: string[]): Record<string, object> => Object.fromEntries(names.map((name) => [name, anything]));

/**
 * Categories of logs. Source: Microsoft Learn, configure-monitoring, "Configure categories"; for Durable Functions
 * durable-functions-diagnostics.
 */
const category =
  '^(default|Worker|Function(\\.[\\w.-]+)?|Host(\\.(Aggregator|Results|Executor|Triggers\\.DurableTask))?|Microsoft(\\.[\\w.]+)?|DurableTask(\\.(AzureStorage|Core))?)$';

/** Source: Microsoft Learn, functions-host-json, "applicationInsights.samplingSettings" and the sections beside it. */
const applicationInsights = object({
  samplingSettings: object({
    isEnabled: flag,
    maxTelemetryItemsPerSecond: count,
    excludedTypes: { type: 'string', pattern: '^(Dependency|Event|Exception|PageView|Request|Trace|;)+$' },
    ...known(
      'evaluationInterval',
      'includedTypes',
      'initialSamplingPercentage',
      'maxSamplingPercentage',
      'minSamplingPercentage',
      'movingAverageRatio',
      'samplingPercentageDecreaseTimeout',
      'samplingPercentageIncreaseTimeout',
    ),
  }),
  ...known(
    'dependencyTrackingOptions',
    'enableDependencyTracking',
    'enableLiveMetrics',
    'enableLiveMetricsFilters',
    'enablePerformanceCountersCollection',
    'httpAutoCollectionOptions',
    'snapshotConfiguration',
  ),
});

/** Source: Microsoft Learn, functions-bindings-service-bus, "host.json settings" (extension 5.x). */
const serviceBus = object({
  prefetchCount: { type: 'integer', minimum: 0 },
  autoCompleteMessages: flag,
  maxConcurrentCalls: count,
  maxMessageBatchSize: { ...count, maximum: 1000 },
  minMessageBatchSize: { ...count, maximum: 1000 },
  maxBatchWaitTime: time,
  maxAutoLockRenewalDuration: time,
  ...known(
    'clientRetryOptions',
    'enableCrossEntityTransactions',
    'maxConcurrentSessions',
    'sessionIdleTimeout',
    'transportType',
    'webProxy',
  ),
});

/** Source: Microsoft Learn, includes/functions-host-json-durabletask (2025-09-29, Durable extension 2.x and 3.x). */
const durableTask = object(
  {
    hubName: text,
    maxConcurrentActivityFunctions: count,
    maxConcurrentOrchestratorFunctions: count,
    defaultVersion: text,
    versionMatchStrategy: { enum: ['None', 'Strict', 'CurrentOrOlder'] },
    versionFailureStrategy: { enum: ['Reject', 'Fail'] },
    tracing: object({
      traceInputsAndOutputs: flag,
      traceReplayEvents: flag,
      // Source: Microsoft Learn, durable-functions-diagnostics, "Distributed tracing".
      distributedTracingEnabled: flag,
      version: { enum: ['None', 'V1', 'V2'] },
    }),
    storageProvider: object(
      {
        type: { enum: ['AzureStorage', 'azureManaged'] },
        connectionName: text,
        connectionStringName: text,
        partitionCount: { ...count, maximum: 16 },
        controlQueueBatchSize: { ...count, maximum: 32 },
        controlQueueVisibilityTimeout: time,
        workItemQueueVisibilityTimeout: time,
        maxQueuePollingInterval: time,
        ...known(
          'FetchLargeMessagesAutomatically',
          'QueueClientMessageEncoding',
          'controlQueueBufferThreshold',
          'trackingStoreConnectionName',
          'trackingStoreConnectionStringName',
          'trackingStoreNamePrefix',
          'useLegacyPartitionManagement',
          'useTablePartitionManagement',
        ),
      },
      ['type'],
    ),
    ...known(
      'extendedSessionIdleTimeoutInSeconds',
      'extendedSessionsEnabled',
      'grpcHttpClientTimeout',
      'httpSettings',
      'logReplayEvents',
      'maxConcurrentEntityFunctions',
      'maxEntityOperationBatchSize',
      'maxGrpcMessageSizeInBytes',
      'maxOrchestrationActions',
      'notifications',
      'storeInputsInOrchestrationHistory',
      'useAppLease',
      'useGracefulShutdown',
    ),
  },
  ['hubName'],
);

/** Source: Microsoft Learn, functions-host-json, "Sample host.json file" and its sections. */
export const hostSchema = object(
  {
    version: { const: '2.0' },
    functionTimeout: time,
    telemetryMode: { const: 'OpenTelemetry' },
    extensionBundle: object({ id: { const: 'Microsoft.Azure.Functions.ExtensionBundle' }, version: text }, [
      'id',
      'version',
    ]),
    logging: object({
      logLevel: {
        type: 'object',
        propertyNames: { pattern: category },
        additionalProperties: { enum: ['Trace', 'Debug', 'Information', 'Warning', 'Error', 'Critical', 'None'] },
      },
      applicationInsights,
      ...known('console', 'fileLoggingMode'),
    }),
    extensions: object({
      // Source: Microsoft Learn, functions-bindings-http-webhook, "host.json settings".
      http: object({
        routePrefix: text,
        maxConcurrentRequests: count,
        maxOutstandingRequests: count,
        ...known('customHeaders', 'dynamicThrottlesEnabled', 'hsts'),
      }),
      serviceBus,
      durableTask,
      ...known('blobs', 'cosmosDB', 'eventHubs', 'queues', 'sendGrid'),
    }),
    ...known(
      'aggregator',
      'concurrency',
      'customHandler',
      'functions',
      'healthMonitor',
      'id',
      'managedDependency',
      'retry',
      'singleton',
      'watchDirectories',
      'watchFiles',
    ),
  },
  ['version', 'extensionBundle'],
);

const hook = object({ shell: { enum: ['sh', 'pwsh'] }, run: text, continueOnError: flag }, ['shell', 'run']);

/** Azure/azure-dev schemas/v1.0/azure.yaml.json. */
export const azureYamlSchema = object(
  {
    name: { type: 'string', pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    metadata: object({ template: text }),
    hooks: object(
      Object.fromEntries(
        ['prepackage', 'preprovision', 'postprovision', 'predeploy', 'postdeploy'].map((name) => [name, hook]),
      ),
    ),
    services: {
      type: 'object',
      minProperties: 1,
      additionalProperties: object(
        {
          project: text,
          language: { const: 'custom' },
          host: { const: 'function' },
          dist: text,
          remoteBuild: { const: false },
        },
        ['project', 'language', 'host', 'dist', 'remoteBuild'],
      ),
    },
  },
  ['name', 'services'],
);

const filter = {
  oneOf: [
    object(
      {
        FilterType: { const: 'Correlation' },
        CorrelationFilter: object({
          Label: text,
          Properties: { type: 'object', minProperties: 1, additionalProperties: text },
        }),
      },
      ['FilterType', 'CorrelationFilter'],
    ),
    object({ FilterType: { const: 'Sql' }, SqlFilter: object({ SqlExpression: text }, ['SqlExpression']) }, [
      'FilterType',
      'SqlFilter',
    ]),
  ],
};
const subscription = object(
  {
    Name: text,
    Properties: object({
      DeadLetteringOnMessageExpiration: flag,
      DefaultMessageTimeToLive: duration,
      LockDuration: duration,
      MaxDeliveryCount: { ...count, maximum: 10 },
      RequiresSession: flag,
    }),
    Rules: list(object({ Name: text, Properties: filter }, ['Name', 'Properties'])),
  },
  ['Name', 'Properties', 'Rules'],
);

/** Azure/azure-service-bus-emulator-installer ServiceBus-Emulator/Schema/Config-schema.json. */
export const emulatorSchema = object(
  {
    UserConfig: object(
      {
        Namespaces: {
          ...list(
            object({
              Name: { const: 'sbemulatorns' },
              Queues: { type: 'array', maxItems: 0 },
              Topics: list(
                object({
                  Name: text,
                  Properties: object({
                    DefaultMessageTimeToLive: duration,
                    DuplicateDetectionHistoryTimeWindow: duration,
                    RequiresDuplicateDetection: flag,
                  }),
                  Subscriptions: list(subscription),
                }),
              ),
            }),
          ),
          minItems: 1,
          maxItems: 1,
        },
        Logging: object({ Type: { enum: ['File', 'Console', 'File,Console', 'Console,File'] } }),
      },
      ['Namespaces', 'Logging'],
    ),
  },
  ['UserConfig'],
);

const values = { type: 'object', additionalProperties: { type: 'string' } } as const;
/** Source: Microsoft Learn, functions-develop-local, "Local settings file". */
export const localSettingsSchema = object(
  { IsEncrypted: { const: false }, Values: values, Host: object({ LocalHttpPort: count, CORS: text }) },
  ['IsEncrypted', 'Values'],
);
