import { describe, expect, it } from 'vitest';
import { CHECKS } from '../../../../infra/azure-checks/checks.ts';
import { PRICES_FILE } from '../../../../infra/azure-checks/group-checks.ts';
import { reportText, type Step } from '../../../../infra/azure-checks/report.ts';
import { type RunOptions, runChecks } from '../../../../infra/azure-checks/run-checks.ts';
import type { Machine } from '../../../../infra/azure-checks/tools.ts';

const GROUP = '/subscriptions/s/resourceGroups/rg';
const NOW = new Date('2026-11-23T12:20:00.000Z');
const QUEUES = `${GROUP}/providers/Microsoft.Storage/storageAccounts/sthost/queueServices/default`;
const idOf = (type: string, name: string): string => `${GROUP}/providers/${type}/${name}`;
const resource = (type: string, name: string) => ({ id: idOf(type, name), name, type, location: 'northeurope' });

const RESOURCES = [
  resource('Microsoft.Web/sites', 'func-media'),
  resource('Microsoft.Web/sites', 'func-default'),
  resource('Microsoft.Storage/storageAccounts', 'sthost'),
  resource('Microsoft.Storage/storageAccounts', 'stdata'),
  resource('Microsoft.ServiceBus/namespaces', 'sb'),
  resource('Microsoft.OperationalInsights/workspaces', 'log'),
  resource('Microsoft.Insights/scheduledQueryRules', 'sluice-events-0'),
];

/** The answers of az by the beginning of the command; the longest match is used. */
type Answers = Record<string, unknown>;

const pool = (name: string): string => (name.endsWith('media') ? 'media' : 'default');
const site = (name: string) => ({
  properties: {
    defaultHostName: `${name}.example.net`,
    functionAppConfig: {
      runtime: { name: 'node', version: '24' },
      siteUpdateStrategy: { type: 'Recreate' },
      scaleAndConcurrency: { instanceMemoryMB: 2048, maximumInstanceCount: 40 },
    },
  },
});
const settings = (name: string) =>
  Object.entries({
    SLUICE_POOL: pool(name),
    SLUICE_THREADS: '1',
    SLUICE_TOPIC: 'sluice-events',
    SLUICE_SUBSCRIPTION: `wake-${pool(name)}`,
    SLUICE_INBOX_SCHEDULE: '0 */10 * * * *',
    SLUICE_CAPACITY: '200',
    SluiceServiceBus__fullyQualifiedNamespace: 'sb.servicebus.windows.net',
    AzureWebJobsStorage__accountName: 'sthost',
    AzureWebJobsStorage__queueServiceUri: 'https://sthost.queue.core.windows.net',
  }).map(([key, value]) => ({ name: key, value }));

const metric = (...hours: Record<string, number>[]) => ({
  value: [
    {
      timeseries: [...new Set(hours.flatMap((hour) => Object.keys(hour)))].map((name) => ({
        metadatavalues: [{ value: name }],
        data: hours.map((hour, at) => ({ timeStamp: `2026-11-23T0${at}:00:00Z`, total: hour[name] })),
      })),
    },
  ],
});

/** The answers of a correct deployment. */
const GOOD: Answers = {
  'resource list': RESOURCES,
  ...Object.fromEntries(
    ['func-default', 'func-media'].flatMap((name) => [
      [`resource show --ids ${idOf('Microsoft.Web/sites', name)}`, site(name)],
      [`functionapp config appsettings list --resource-group rg --name ${name}`, settings(name)],
    ]),
  ),
  'servicebus topic subscription rule list': [{ name: 'queue-work-detected' }],
  'servicebus topic show': { requiresDuplicateDetection: true, duplicateDetectionHistoryTimeWindow: 'PT10M' },
  'servicebus topic subscription show': { countDetails: { activeMessageCount: 0, deadLetterMessageCount: 0 } },
  'functionapp function list': ['sweep', 'scan-inbox', 'wake-drain'].map((name) => ({
    name: `func-default/${name}`,
  })),
  [`resource show --ids ${GROUP}/providers/Microsoft.Storage`]: {
    properties: { allowSharedKeyAccess: false, allowBlobPublicAccess: false, minimumTlsVersion: 'TLS1_2' },
  },
  [`monitor metrics list --resource ${QUEUES}`]: metric(
    { PeekMessages: 9_000, PutMessage: 70 },
    { PeekMessages: 1_440, GetQueueMetadata: 1_440 },
  ),
  [`monitor metrics list --resource ${idOf('Microsoft.ServiceBus/namespaces', 'sb')}`]: metric({
    'sluice-events': 2_900,
  }),
  [`resource show --ids ${GROUP}/providers/Microsoft.OperationalInsights`]: { properties: { customerId: 'w' } },
  'rest --method post': { tables: [{ rows: [['taken over', 2]] }] },
  [`resource show --ids ${GROUP}/providers/Microsoft.Insights`]: { properties: { enabled: true } },
  'rest --method get': { value: [{ name: 'budget', properties: { amount: 50, notifications: { actual80: {} } } }] },
  'monitor diagnostic-settings list': [{ name: 'sluice' }],
};

const HEALTH = JSON.stringify({ status: 'ok', durableBackend: 'azureStorage', cores: 1, memoryMb: 2_000, threads: 1 });

interface World {
  answers?: Answers;
  /** The answers of GET by the end of the address. */
  pages?: Record<string, { status?: number; text?: string; ms?: readonly number[]; isDown?: boolean }>;
  smoke?: { code: number; stdout: string };
  options?: Partial<RunOptions>;
}

async function runIn({
  answers = {},
  pages = {},
  smoke = { code: 0, stdout: 'smoke test passed in 42 s\n' },
  options = {},
}: World) {
  const all: Answers = { ...GOOD, ...answers };
  const asked: string[] = [];
  const keys: (string | undefined)[] = [];
  const files: Record<string, string> = {};
  const visits: Record<string, number> = {};
  const machine: Machine = {
    run: async (command, args, env) => {
      asked.push([command, ...args].join(' '));
      if (command === 'npm') {
        keys.push(env?.SLUICE_KEY);
        return { stderr: '', ...smoke };
      }
      const line = args.join(' ');
      const [found] = Object.keys(all)
        .filter((start) => line.startsWith(start))
        .sort((a, b) => b.length - a.length);
      const answer = found === undefined ? undefined : all[found];
      if (answer === undefined || answer instanceof Error)
        return { code: 1, stdout: '', stderr: `ERROR: ${answer?.message ?? `nothing known of ${line}`}` };
      return { code: 0, stdout: JSON.stringify(answer), stderr: '' };
    },
    get: async (url) => {
      const visit = visits[url] ?? 0;
      visits[url] = visit + 1;
      const usual = {
        '/api/health': { ms: [4_200, 90], text: HEALTH },
        '/api/health?deep': { text: '{"status":"ok"}' },
        '/api/batches': { status: 401 },
      };
      const [, page = {}] = Object.entries({ ...usual, ...pages }).find(([end]) => url.endsWith(end)) ?? [];
      const {
        status = 200,
        text = '{"Items":[{"meterName":"x"}],"NextPageLink":null}',
        ms = [90],
        isDown = false,
      } = page as NonNullable<World['pages']>[string];
      if (isDown) throw new Error('fetch failed', { cause: new Error('connect ECONNREFUSED') });
      return { status, text, ms: ms[Math.min(visit, ms.length - 1)] ?? 0 };
    },
    now: () => NOW,
    writeFile: async (path, text) => {
      files[path] = text;
    },
  };
  const run = await runChecks(machine, {
    ...{ group: 'rg', app: 'func-default', subscription: undefined, only: undefined, version: '0.1.0' },
    ...{
      key: 's3cret',
      removedKey: 'g0ne',
      batches: { media: 'images.ndjson' },
      poolsOfWorkloads: { billing: 'default', media: 'media' },
    },
    pools: [
      { name: 'default', memory: 2048, maximumInstanceCount: 40 },
      { name: 'media', memory: 2048, maximumInstanceCount: 40 },
    ],
    partitionCount: 1,
    onStep: () => {},
    ...options,
  });
  return { run, asked, keys, files };
}

/** Runs one check and returns its finding. */
async function findingOf(id: string, world: World = {}): Promise<Pick<Step, 'result' | 'evidence' | 'commands'>> {
  const { run } = await runIn({ ...world, options: { only: [id], ...world.options } });
  const [step] = run.steps;
  if (step === undefined) throw new Error(`There is no check ${id}.`);
  return step;
}

/** The end of the address of the first page of the price list. */
const PRICE_LIST = "'Consumption'";
const APP = 'https://func-default.example.net/api';

describe('the checks of a deployment', () => {
  it('all pass in a correct deployment, each with its commands', async () => {
    const { run } = await runIn({});

    expect(run.steps.filter(({ result }) => result !== 'pass')).toEqual([]);
    expect(run.steps.map(({ id }) => id)).toEqual(CHECKS.map(({ id }) => id));
    expect(run.steps.filter(({ commands }) => commands.length === 0)).toEqual([]);
  });

  it('call the app of the command line first, and then the other apps of the group', async () => {
    const { commands } = await findingOf('keys');
    expect(commands).toEqual([`curl ${APP}/batches`, 'curl https://func-media.example.net/api/batches']);
  });

  it('only read with az', async () => {
    const { asked } = await runIn({});
    const verbs = asked.filter((line) => line.startsWith('az ')).map((line) => line.split(' --')[0]);
    // The only POST request is the log query.
    expect(verbs.filter((verb) => !/ (list|show)$/.test(verb ?? '') && verb !== 'az rest')).toEqual([]);
    expect(asked.filter((line) => line.includes('--method') && !line.includes('--method get'))).toEqual([
      expect.stringContaining('api.loganalytics.io'),
    ]);
  });

  it('do not reveal the key', async () => {
    const { run, asked, keys } = await runIn({});
    expect(keys).toEqual(['s3cret', 's3cret']);
    expect(asked.join('\n')).not.toContain('s3cret');
    expect(reportText(run)).not.toMatch(/s3cret|g0ne/);
  });

  it('pass the given subscription to each call', async () => {
    const { asked } = await runIn({ options: { subscription: 'sub', only: ['match-all'] } });
    expect(asked.filter((line) => !line.includes('--subscription sub'))).toEqual([]);
  });

  it.each<[id: string, evidence: RegExp, world: World]>([
    ['cold-start', /after 31\.0 s/, { pages: { '/api/health': { ms: [31_000, 80] } } }],
    [
      'roles',
      /503 .*AuthorizationFailure/,
      { pages: { '/api/health?deep': { status: 503, text: 'AuthorizationFailure' } } },
    ],
    ['roles', /0 fetch failed: connect ECONNREFUSED/, { pages: { '/api/health?deep': { isDown: true } } }],
    ['keys', /200 without a key/, { pages: { '/api/batches': { status: 200 } } }],
    ['removed-key', /func-default: 200 with the removed key/, { pages: { '/api/batches': { status: 200 } } }],
    [
      'host-storage',
      /func-media: lacks AzureWebJobsStorage__accountName, connection strings AzureWebJobsStorage$/,
      {
        answers: {
          'functionapp config appsettings list --resource-group rg --name func-media': [
            { name: 'AzureWebJobsStorage', value: '' },
          ],
        },
      },
    ],
    [
      'durable-backend',
      /func-default: the package has azureStorage, the group a scheduler/,
      { answers: { 'resource list': [...RESOURCES, resource('Microsoft.DurableTask/schedulers', 'dts')] } },
    ],
    ['durable-backend', /no backend/, { pages: { '/api/health': { status: 502, text: 'Bad Gateway' } } }],
    [
      'durable-backend',
      /overrides of host.json: AzureFunctionsJobHost__extensions__durableTask__hubName/,
      {
        answers: {
          'functionapp config appsettings list --resource-group rg --name func-media': [
            { name: 'AzureFunctionsJobHost__extensions__durableTask__hubName', value: 'hub' },
          ],
        },
      },
    ],
    ['smoke', /expected batch/, { smoke: { code: 1, stdout: 'smoke test failed: expected batch b to complete' } }],
    ['pools', /pool media: .*failed/, { smoke: { code: 1, stdout: 'smoke test failed' } }],
    [
      'match-all',
      /wake-default: queue-work-detected, \$Default/,
      {
        answers: { 'servicebus topic subscription rule list': [{ name: 'queue-work-detected' }, { name: '$Default' }] },
      },
    ],
    ['match-all', /no rules/, { answers: { 'servicebus topic subscription rule list': [] } }],
    [
      'duplicates',
      /requiresDuplicateDetection false/,
      { answers: { 'servicebus topic show': { requiresDuplicateDetection: false } } },
    ],
    [
      'wakes',
      /3 dead letters/,
      { answers: { 'servicebus topic subscription show': { countDetails: { deadLetterMessageCount: 3 } } } },
    ],
    [
      'runtime',
      /undefined/,
      { answers: { [`resource show --ids ${idOf('Microsoft.Web/sites', 'func-media')}`]: { properties: {} } } },
    ],
    ['instances', /2048 MB/, { options: { pools: [{ name: 'default', memory: 4096, maximumInstanceCount: 40 }] } }],
    [
      'instances',
      /at most 40 instances, capacity 200/,
      { options: { pools: [{ name: 'default', memory: 2048, maximumInstanceCount: 41 }] } },
    ],
    ['instances', /2 threads and sees 2 cores/, { pages: { '/api/health': { text: '{"cores":2,"threads":2}' } } }],
    [
      'update-strategy',
      /func-media: undefined/,
      { answers: { [`resource show --ids ${idOf('Microsoft.Web/sites', 'func-media')}`]: { properties: {} } } },
    ],
    ['timers', /missing scan-inbox/, { answers: { 'functionapp function list': [{ name: 'func-default/sweep' }] } }],
    [
      'storage-keys',
      /shared keys nothing/,
      { answers: { [`resource show --ids ${GROUP}/providers/Microsoft.Storage`]: { properties: {} } } },
    ],
    [
      'durable-polling',
      /Computed 2880 per hour. 5000 in the hour from 2026-11-23T00:00:00Z: PeekMessages 5000/,
      { answers: { [`monitor metrics list --resource ${QUEUES}`]: metric({ PeekMessages: 5_000 }) } },
    ],
    [
      'versions',
      /1 were replayed/,
      {
        answers: {
          'rest --method post': {
            tables: [
              {
                rows: [
                  ['taken over', 2],
                  ['replayed', 1],
                ],
              },
            ],
          },
        },
      },
    ],
    [
      'alerts',
      /disabled/,
      {
        answers: { [`resource show --ids ${GROUP}/providers/Microsoft.Insights`]: { properties: { enabled: false } } },
      },
    ],
    ['budget', /0 notifications/, { answers: { 'rest --method get': { value: [{ name: 'b', properties: {} }] } } }],
    [
      'prices',
      /0 prices/,
      {
        pages: { [PRICE_LIST]: { text: '{"Items":[],"NextPageLink":null}' } },
      },
    ],
  ])('%s fails: %s', async (id, evidence, world) => {
    const found = await findingOf(id, world);
    expect(found.evidence).toMatch(evidence);
    expect(found.result).toBe('fail');
  });

  it.each<[id: string, evidence: RegExp, world: World]>([
    ['cold-start', /the app was running/, { pages: { '/api/health': { ms: [120, 90] } } }],
    ['removed-key', /no removed key/, { options: { removedKey: undefined } }],
    ['smoke', /no key/, { options: { key: undefined } }],
    ['pools', /pool media: no batch/, { options: { batches: {} } }],
    [
      'durable-polling',
      /no transactions yet/,
      { answers: { [`monitor metrics list --resource ${QUEUES}`]: { value: [] } } },
    ],
    ['versions', /Deploy a changed version/, { answers: { 'rest --method post': { tables: [{ rows: [] }] } } }],
    ['alerts', /no alert rules/, { answers: { 'resource list': RESOURCES.slice(0, -1) } }],
    ['budget', /no budget/, { answers: { 'rest --method get': { value: [] } } }],
    ['diagnostics', /no diagnostic settings/, { answers: { 'monitor diagnostic-settings list': { value: [] } } }],
    [
      'duplicates',
      /could not run: az failed with exit code 1: ERROR: AuthorizationFailed/,
      { answers: { 'servicebus topic show': new Error('AuthorizationFailed') } },
    ],
    ['prices', /answered 429/, { pages: { [PRICE_LIST]: { status: 429 } } }],
  ])('%s is not run: %s', async (id, evidence, world) => {
    const found = await findingOf(id, world);
    expect(found.evidence).toMatch(evidence);
    expect(found.result).toBe('not run');
  });

  it('use the hour with the fewest operations of the last 24 full hours', async () => {
    const { commands, evidence } = await findingOf('durable-polling');
    expect(commands.join()).toContain('--start-time 2026-11-22T12:00:00Z --end-time 2026-11-23T12:00:00Z');
    expect(evidence).toContain('2880 in the hour from 2026-11-23T01:00:00Z: PeekMessages 1440, GetQueueMetadata 1440');
  });

  it('save all pages of the price list for npm run cost -- import-prices', async () => {
    const next = 'https://prices.azure.com/page2';
    const first = { text: `{"Items":[1],"NextPageLink":"${next}"}` };
    const { files } = await runIn({
      options: { only: ['prices'] },
      pages: { [PRICE_LIST]: first, page2: { text: '{"Items":[2],"NextPageLink":""}' } },
    });
    const { Items } = JSON.parse(files[PRICES_FILE] ?? '{}') as { Items: number[] };
    expect(Items.slice(0, 2)).toEqual([1, 2]);
    expect(Items).toHaveLength(12);
  });

  it('are refused for an app that the group does not have', async () => {
    await expect(runIn({ options: { app: 'func-other' } })).rejects.toThrow(
      'no app "func-other"; it has func-media, func-default',
    );
  });
});
