import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventProperties, type SluiceEvent } from '../../../shared/contract/events.ts';
import { CONTAINERS, TABLES } from '../../../shared/contract/names.ts';
import { DEFAULTS, readSettings } from '../../../shared/settings.ts';
import { declaredValue, descendants, keysOf, nodesOf, parseBicep, plainText, properties, ROOT } from './bicep.ts';
import { tableBelow } from './docs-table.ts';

const APP = 'infra/modules/function-app.bicep';
const MAIN = 'infra/main.bicep';
const BUS = 'infra/modules/service-bus.bicep';

const json = (file: string): Record<string, unknown> => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
const sample = json('local.settings.sample.json').Values as Record<string, string>;

const objectsIn = (name: string): string[] =>
  descendants(declaredValue(APP, name))
    .filter(({ type, parent }) => type === 'object' && parent?.type !== 'object_property')
    .flatMap(keysOf);
const base = objectsIn('baseSettings');
const inAzure = ['baseSettings', 'inboxSettings', 'schedulerSettings'].flatMap(objectsIn);

/** What the platform, the durable extension or Application Insights reads; everything else has to be a setting of the app. */
const OF_THE_PLATFORM = [
  /^NODE_OPTIONS$/,
  /^AzureWebJobsStorage__(blob|queue|table)ServiceUri$/,
  /^(AzureWebJobsStorage|SluiceStorage|SluiceServiceBus)__(credential|clientId)$/,
  /^APPLICATIONINSIGHTS_(CONNECTION|AUTHENTICATION)_STRING$/,
  /^APPLICATION_INSIGHTS_NO_STATSBEAT$/,
  /^AzureFunctionsJobHost__extensions__durableTask__/,
  /^DURABLE_TASK_SCHEDULER_CONNECTION_STRING$/,
];

/** learn: functions-app-settings, "Flex Consumption plan deprecations". */
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
  it('are settings of the code, or known ones of the platform', () => {
    const known = new Set([...Object.keys(DEFAULTS), 'SLUICE_TASK_HUB', ...connectionNames()]);
    const unknown = inAzure.filter((name) => !known.has(name) && !OF_THE_PLATFORM.some((one) => one.test(name)));
    expect(unknown).toEqual([]);
  });

  it('are enough for the code: it reads them without a problem, by identity alone', () => {
    const env = Object.fromEntries(base.map((name) => [name, DEFAULTS[name as keyof typeof DEFAULTS] ?? 'value']));
    const { storage, serviceBus } = readSettings(env);
    expect(storage).toEqual({
      blobServiceUri: 'value',
      queueServiceUri: 'value',
      tableServiceUri: 'value',
      clientId: 'value',
    });
    expect(serviceBus).toEqual({ fullyQualifiedNamespace: 'value', clientId: 'value' });
  });

  it('leave out what Flex Consumption does not take', () => {
    const present = FORBIDDEN_ON_FLEX.filter((name) => parseBicep(APP).text.includes(`${name}:`));
    expect(present).toEqual([]);
  });

  it('hold what host.json asks for by %NAME%', () => {
    const names = [...JSON.stringify(json('host.json')).matchAll(/%(\w+)%/g)].map(([, name]) => name);
    expect(names.filter((name) => !base.includes(name ?? ''))).toEqual([]);
    expect(names.filter((name) => !(name !== undefined && name in sample))).toEqual([]);
  });

  it('override places of host.json that exist', () => {
    const provider = (json('host.json').extensions as { durableTask: { storageProvider: object } }).durableTask
      .storageProvider;
    const names = objectsIn('schedulerSettings').flatMap((name) => /__storageProvider__(\w+)$/.exec(name)?.[1] ?? []);
    expect(names).toEqual(['type', 'connectionStringName']);
    expect(Object.keys(provider)).toContain('type');
  });
});

describe('docs/deploy.md', () => {
  it('names every setting of the code, and no other', () => {
    const named = tableBelow('docs/deploy.md', 'Settings').flatMap(([names = '']) => names.split(', '));
    expect(named.sort()).toEqual([...Object.keys(DEFAULTS), 'SLUICE_TASK_HUB'].sort());
  });
});

describe('the sample settings', () => {
  it('name settings of the code, with the values of its defaults but for the inbox and what one instance can run', () => {
    const own = Object.entries(sample).filter(([name]) => name.startsWith('SLUICE_') && name !== 'SLUICE_TASK_HUB');
    expect(own.map(([name]) => name).filter((name) => !(name in DEFAULTS))).toEqual([]);
    const changed = own.filter(([name, value]) => DEFAULTS[name as keyof typeof DEFAULTS] !== value);
    expect(changed.map(([name]) => name)).toEqual(['SLUICE_CAPACITY', 'SLUICE_INBOX_SCHEDULE']);
  });

  it('connect to this machine only', () => {
    const connections = ['AzureWebJobsStorage', 'SluiceStorage', 'SluiceServiceBus'].map((name) => sample[name]);
    for (const connection of connections) expect(connection).toMatch(/UseDevelopment(Storage|Emulator)=true/);
  });
});

describe('what the deployment makes', () => {
  const data = nodesOf(MAIN, 'module_declaration').find(({ text }) => text.startsWith('module dataStorage'));
  const list = (name: string): (string | undefined)[] => {
    const property = descendants(data ?? parseBicep(MAIN)).find(({ text }) => text.startsWith(`${name}: [`));
    return property?.namedChildren.at(-1)?.namedChildren.map((node) => plainText(node ?? undefined)) ?? [];
  };

  it('has the containers and tables of the contract', () => {
    expect(list('containers')).toEqual(Object.values(CONTAINERS));
    expect(list('tables')).toEqual(Object.values(TABLES));
  });

  it("has the code's topic", () => {
    expect(plainText(declaredValue(MAIN, 'topicName'))).toBe(DEFAULTS.SLUICE_TOPIC);
  });

  it('filters by properties that every event carries', () => {
    const filter = descendants(parseBicep(BUS)).find(({ text }) => text.startsWith('correlationFilter:'));
    const object = descendants(filter ?? parseBicep(BUS)).find(({ text }) => text.startsWith('properties:'));
    const pairs = properties(object?.namedChildren.at(-1) ?? parseBicep(BUS));
    expect(pairs.map(([key]) => key)).toEqual(['type', 'pool', 'account']);
    const event: SluiceEvent = {
      v: 1,
      type: 'QueueWorkDetected',
      account: 'a',
      pool: 'p',
      queue: 'q',
      workload: 'w',
      lane: 'l',
      at: '',
    };
    expect(eventProperties(event)).toMatchObject({ type: plainText(pairs[0]?.[1]), pool: 'p', account: 'a' });
  });
});

function connectionNames(): string[] {
  const text = readFileSync(join(ROOT, 'shared/settings.ts'), 'utf8');
  const services = ['blob', 'queue', 'table'].map((service) => `SluiceStorage__${service}ServiceUri`);
  return [...services, ...[...text.matchAll(/\bSluice\w+__\w+/g)].map(([name]) => name)];
}
