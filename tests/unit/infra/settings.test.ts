import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventProperties, type SluiceEvent } from '../../../shared/contract/events.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { DEFAULTS, readSettings } from '../../../shared/settings.ts';
import { tableBelow } from '../docs/docs-table.ts';
import { ROOT } from './bicep.ts';
import { sourcesIn } from './code.ts';
import { appSettings, deployedResources, deployment, ofType } from './deployed.ts';
import { PARAMETER_SETS } from './parameter-sets.ts';

const json = (file: string): Record<string, unknown> => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const sample = json('local.settings.sample.json').Values as Record<string, string>;
const sources = sourcesIn('functions', 'shared', 'workloads');

/** The settings of every app of every parameter set. */
const apps = Object.entries(PARAMETER_SETS).flatMap(([set, parameters]) =>
  Object.entries(appSettings(deployedResources(parameters))).map(([app, settings]) => ({
    app: `${app}, ${set}`,
    settings,
  })),
);
const inAzure = [...new Set(apps.flatMap(({ settings }) => Object.keys(settings)))].sort();

/**
 * Settings that the host, the Durable extension or a library reads, with the documentation page. The code must read all other
 * settings.
 */
const OF_THE_PLATFORM: readonly { name: RegExp; page: string }[] = [
  // "Common properties for identity-based connections": __credential and __clientId of a user-assigned identity.
  {
    name: /^(AzureWebJobsStorage|SluiceStorage|SluiceServiceBus)__(credential|clientId)$/,
    page: 'Microsoft Learn, functions-reference',
  },
  // "Connecting to host storage with an identity": the three addresses of the account.
  { name: /^AzureWebJobsStorage__(blob|queue|table)ServiceUri$/, page: 'Microsoft Learn, functions-reference' },
  // Its name, without which the host can fail to start with these addresses: Azure/azure-functions-host#11787.
  { name: /^AzureWebJobsStorage__accountName$/, page: 'Microsoft Learn, functions-reference' },
  // The telemetry of the host, sent with the identity.
  { name: /^APPLICATIONINSIGHTS_(CONNECTION|AUTHENTICATION)_STRING$/, page: 'Microsoft Learn, functions-app-settings' },
  // Read by @azure/monitor-opentelemetry-exporter, whose code a test below checks.
  { name: /^APPLICATION_INSIGHTS_NO_STATSBEAT$/, page: 'Microsoft Learn, azure-monitor/app/statsbeat' },
  // Options of the Node.js process of the worker.
  { name: /^NODE_OPTIONS$/, page: 'nodejs.org: api/cli' },
  // host.json of the package names it as its connectionStringName: packaging/versioned-host.test.ts.
  {
    name: /^DURABLE_TASK_SCHEDULER_CONNECTION_STRING$/,
    page: 'Microsoft Learn, durable-task/scheduler/durable-task-scheduler-identity',
  },
];

/** Optional settings: the code reads them, no deployment sets them, and they have no default. */
const MAY_BE_MISSING: Readonly<Record<string, string>> = {
  SluiceStorage: 'a connection string, for local use; in Azure the three addresses are set',
  SluiceServiceBus: 'a connection string, for local use; in Azure the namespace is set',
  WEBSITE_INSTANCE_ID: 'set by the platform (Microsoft Learn, app-service/reference-app-settings)',
  WEBSITE_AUTH_ENABLED: 'set by the platform if App Service authentication is on (same page)',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'for a collector of your own (docs/observability.md)',
};

/** The names that `readSettings` reads from an environment, with either kind of connection. */
function namesRead(read: (env: Record<string, string | undefined>) => unknown): Set<string> {
  const names = new Set<string>();
  for (const value of ['https://example.com/', undefined]) {
    const env = new Proxy<Record<string, string | undefined>>(
      {},
      {
        get(_, name) {
          names.add(String(name));
          // Without the two connection strings it goes on to the addresses of the services.
          return /^Sluice\w+__/.test(String(name)) ? value : undefined;
        },
      },
    );
    try {
      read(env);
    } catch {
      // The environment is empty: what matters is what was asked for.
    }
  }
  return names;
}

/** The `%NAME%` placeholders in host.json and in the bindings of the code, which the host replaces with settings. */
const placeholders = (text: string): string[] => [...text.matchAll(/%([A-Za-z]\w+)%/g)].map(([, name]) => name ?? '');

const readByCode = new Set([
  ...namesRead(readSettings),
  ...sources.flatMap(({ text }) => [
    ...placeholders(text),
    ...[...text.matchAll(/\bprocess\.env\.(\w+)|\bprocess\.env\[['"](\w+)/g)].map(
      ([, one, other]) => one ?? other ?? '',
    ),
  ]),
  ...placeholders(JSON.stringify(json('host.json'))),
]);

/** Returns the settings that are read, not set and have no default. */
const notSet = (read: Iterable<string>, settings: Readonly<Record<string, string>>): string[] =>
  [...read].filter((name) => !(name in settings) && !(name in DEFAULTS) && !(name in MAY_BE_MISSING));

/** Returns the settings that are set and not read. */
const notRead = (names: readonly string[], read: ReadonlySet<string>): string[] =>
  names.filter((name) => !read.has(name) && !OF_THE_PLATFORM.some((one) => one.name.test(name)));

/** Source: Microsoft Learn, functions-app-settings, "Flex Consumption plan deprecations". */
const FORBIDDEN_ON_FLEX = [
  'ENABLE_ORYX_BUILD',
  'FUNCTIONS_EXTENSION_VERSION',
  'FUNCTIONS_MAX_HTTP_CONCURRENCY',
  'FUNCTIONS_WORKER_PROCESS_COUNT',
  'FUNCTIONS_WORKER_RUNTIME',
  'FUNCTIONS_WORKER_RUNTIME_VERSION',
  'SCM_DO_BUILD_DURING_DEPLOYMENT',
  'WEBSITE_CONTENTAZUREFILECONNECTIONSTRING',
  'WEBSITE_CONTENTOVERVNET',
  'WEBSITE_CONTENTSHARE',
  'WEBSITE_MAX_DYNAMIC_APPLICATION_SCALE_OUT',
  'WEBSITE_NODE_DEFAULT_VERSION',
  'WEBSITE_RUN_FROM_PACKAGE',
  'WEBSITE_TIME_ZONE',
  'WEBSITE_USE_PLACEHOLDER',
  'WEBSITE_VNET_ROUTE_ALL',
];

describe('the settings of an app in Azure', () => {
  it('that the code reads are set or have a default', () => {
    expect(apps.map(({ app, settings }) => [app, ...notSet(readByCode, settings)])).toEqual(
      apps.map(({ app }) => [app]),
    );
  });

  it('that the code reads and no deployment sets are found', () => {
    const [first] = apps;
    const settings = first?.settings ?? {};
    const reading = namesRead((env) => env.SLUICE_MADE_UP);
    expect(notSet(reading, settings)).toEqual(['SLUICE_MADE_UP']);
    expect(notSet(placeholders('queueName: %SLUICE_MADE_UP%'), settings)).toEqual(['SLUICE_MADE_UP']);
  });

  it('that are set are read by the code or by the platform', () => {
    expect(notRead(inAzure, readByCode)).toEqual([]);
  });

  it('that are set and not read are found', () => {
    const [first] = Object.values(appSettings(deployedResources({ appSettings: { SLUICE_MADE_UP: '1' } })));
    expect(notRead(Object.keys(first ?? {}), readByCode)).toEqual(['SLUICE_MADE_UP']);
  });

  it('of the platform are all set by some deployment', () => {
    const unused = OF_THE_PLATFORM.filter(({ name }) => !inAzure.some((one) => name.test(one)));
    expect(unused).toEqual([]);
  });

  it('are read in one place of the code, so that this test finds all of them', () => {
    const whole = sources.filter(({ text }) => /\bprocess\.env\b(?![.[])/.test(text));
    expect(whole.map(({ file }) => file)).toEqual(['functions/app.ts']);
    expect(whole[0]?.text.match(/process\.env/g)).toHaveLength(1);
    expect(whole[0]?.text).toContain('readSettings(process.env)');
  });

  it('that are optional are read', () => {
    expect(Object.keys(MAY_BE_MISSING).filter((name) => !readByCode.has(name))).toEqual([]);
  });

  it('are valid for the code, without connection strings', () => {
    for (const { settings } of apps) {
      const read = readSettings(settings);
      expect(Object.keys(read.storage).sort()).toEqual([
        'blobServiceUri',
        'clientId',
        'queueServiceUri',
        'tableServiceUri',
      ]);
      expect(Object.keys(read.serviceBus).sort()).toEqual(['clientId', 'fullyQualifiedNamespace']);
      expect(read.telemetry?.clientId).toBe(read.storage.clientId);
    }
  });

  it('connect every binding with an identity', () => {
    const named = sources.flatMap(({ text }) => [...text.matchAll(/\bconnection: '(\w+)'/g)].map(([, name]) => name));
    expect(named).toContain('SluiceServiceBus');
    for (const name of named) {
      for (const { settings } of apps) {
        expect(settings).toMatchObject({ [`${name}__credential`]: 'managedidentity' });
        expect(settings).toHaveProperty(`${name}__fullyQualifiedNamespace`);
      }
    }
  });

  it('contain the topic, subscription and task hub that the deployment creates', () => {
    for (const parameters of Object.values(PARAMETER_SETS)) {
      const resources = deployedResources(parameters);
      const subscriptions = ofType(resources, 'Microsoft.ServiceBus/namespaces/topics/subscriptions').map(
        ({ name }) => name,
      );
      const hubs = ofType(resources, 'Microsoft.DurableTask/schedulers/taskHubs').map(({ body }) => body.name);
      const settings = Object.values(appSettings(resources));
      expect(settings.map((one) => `${one.SLUICE_TOPIC}/${one.SLUICE_SUBSCRIPTION}`)).toEqual(
        subscriptions.map((name) => name.split('/').slice(1).join('/')),
      );
      if (hubs.length > 0) expect(settings.map((one) => one.SLUICE_TASK_HUB)).toEqual(hubs);
      expect(new Set(settings.map((one) => one.SLUICE_TASK_HUB)).size).toBe(settings.length);
    }
  });

  it('have one worker thread per core, and a quarter of the memory for each', () => {
    const pool = { maximumInstanceCount: 40, alwaysReady: [] };
    const pools = [
      { name: 'one', memory: 2048, ...pool },
      { name: 'two', memory: 4096, ...pool },
    ];
    const settings = Object.values(appSettings(deployedResources({ pools })));
    expect(settings.map((one) => [one.SLUICE_THREADS, one.SLUICE_THREAD_MEMORY_MB])).toEqual([
      ['1', '512'],
      ['2', '1024'],
    ]);
  });

  it('refuse instances of 512 MB, on which worker threads were not measured', () => {
    expect(readFileSync(join(ROOT, 'infra/main.bicep'), 'utf8')).toMatch(/^ {2}memory: 2048 \| 4096$/m);
  });

  it('override nothing of host.json, which the scale controller reads without overrides', () => {
    expect(inAzure.filter((name) => name.startsWith('AzureFunctionsJobHost'))).toEqual([]);
  });

  it('contain none that Flex Consumption refuses', () => {
    expect(inAzure.filter((name) => FORBIDDEN_ON_FLEX.includes(name))).toEqual([]);
  });

  it('exist for every %NAME% in host.json and bindings, in Azure and locally', () => {
    const names = placeholders(JSON.stringify(json('host.json')));
    expect(names).toEqual(['SLUICE_TASK_HUB']);
    for (const { settings } of apps) expect(names.filter((name) => !settings[name])).toEqual([]);
    expect(names.filter((name) => !(name in sample))).toEqual([]);
  });

  it('name the account of the host storage beside its addresses, and contain no connection string of it', () => {
    for (const { settings } of apps) {
      expect(settings.AzureWebJobsStorage__blobServiceUri).toContain(
        `storageAccounts ${settings.AzureWebJobsStorage__accountName})`,
      );
      expect(settings).not.toHaveProperty('AzureWebJobsStorage');
      expect(settings).not.toHaveProperty('DEPLOYMENT_STORAGE_CONNECTION_STRING');
    }
  });

  it('stop the exporter from sending statistics about itself', () => {
    const exporter = '@azure/monitor-opentelemetry-exporter/dist/commonjs/Declarations/Constants.js';
    expect(readFileSync(join(ROOT, 'node_modules', exporter), 'utf8')).toContain('APPLICATION_INSIGHTS_NO_STATSBEAT');
    for (const { settings } of apps) expect(settings).toHaveProperty('APPLICATION_INSIGHTS_NO_STATSBEAT');
  });
});

describe('docs/deploy.md', () => {
  it('lists exactly the settings of the code', () => {
    const named = tableBelow('docs/deploy.md', 'Settings').flatMap(([names = '']) => names.split(', '));
    expect(named.sort()).toEqual([...Object.keys(DEFAULTS), 'SLUICE_TASK_HUB'].sort());
  });
});

it('the capacity of an app is the number of activities that its instances run', () => {
  const { extensions } = JSON.parse(readFileSync(join(ROOT, 'host.json'), 'utf8'));
  const [first] = Object.values(appSettings(deployedResources({})));
  expect(first?.SLUICE_CAPACITY).toBe(String(40 * extensions.durableTask.maxConcurrentActivityFunctions));
});

describe('the sample settings', () => {
  it('are settings of the code with their defaults, except for the inbox and the capacity of one instance', () => {
    const own = Object.entries(sample).filter(([name]) => name.startsWith('SLUICE_') && name !== 'SLUICE_TASK_HUB');
    expect(own.map(([name]) => name).filter((name) => !(name in DEFAULTS))).toEqual([]);
    const changed = own.filter(([name, value]) => DEFAULTS[name as keyof typeof DEFAULTS] !== value);
    expect(changed.map(([name]) => name)).toEqual(['SLUICE_CAPACITY', 'SLUICE_INBOX_SCHEDULE']);
  });

  it('connect only to this machine', () => {
    const connections = ['AzureWebJobsStorage', 'SluiceStorage', 'SluiceServiceBus'].map((name) => sample[name]);
    for (const connection of connections) expect(connection).toMatch(/UseDevelopment(Storage|Emulator)=true/);
  });
});

describe('the deployment', () => {
  const { resources } = deployment();
  const lastNames = (type: string): string[] => ofType(resources, type).map(({ body }) => String(body.name));

  it('has the containers and tables of the contract', () => {
    const containers = lastNames('Microsoft.Storage/storageAccounts/blobServices/containers');
    expect(containers.filter((name) => Object.values<string>(CONTAINERS).includes(name))).toEqual(
      Object.values(CONTAINERS),
    );
    expect(lastNames('Microsoft.Storage/storageAccounts/tableServices/tables')).toEqual(Object.values(TABLES));
  });

  it("has the code's topic", () => {
    expect(lastNames('Microsoft.ServiceBus/namespaces/topics')).toEqual([DEFAULTS.SLUICE_TOPIC]);
  });

  it('filters by properties that every event has', () => {
    const rules = ofType(resources, 'Microsoft.ServiceBus/namespaces/topics/subscriptions/rules');
    expect(rules.length).toBeGreaterThan(0);
    for (const { properties } of rules) {
      const wanted = (properties.correlationFilter as { properties: Record<string, string> }).properties;
      const event: SluiceEvent = {
        v: 1,
        type: 'QueueWorkDetected',
        account: wanted.account ?? '',
        pool: wanted.pool ?? '',
        queue: 'q',
        workload: 'w',
        lane: 'l',
        at: '',
      };
      expect(Object.keys(wanted)).toEqual(['type', 'pool', 'account']);
      expect(eventProperties(event)).toMatchObject(wanted);
    }
  });
});
