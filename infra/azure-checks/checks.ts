/**
 * The checks that only a subscription can answer, as one table; docs/azure-status.md has the same one for readers. No check
 * changes anything but `smoke` and `pools`, which submit a small batch.
 */
import { type App, accountOf, type Deployment, ofType, poolOf } from './deployment.ts';
import { hourText, quietestHour } from './metrics.ts';
import type { Result } from './report.ts';
import type { Tools } from './tools.ts';

/** What a check knows of the deployment, and of what infra/ and host.json ask for. */
export interface Context {
  tools: Tools;
  deployment: Deployment;
  /** A client's key; undefined: checks that need one are not run. */
  key: string | undefined;
  /** Files to submit, by workload. */
  batches: Readonly<Record<string, string>>;
  /** Pool of each workload of this checkout. */
  poolsOfWorkloads: Readonly<Record<string, string>>;
  /** infra/pools.json */
  pools: readonly { name: string; memory: number; maximumInstanceCount: number }[];
  /** host.json: partitions of the durable hub. */
  partitionCount: number;
}

export interface Finding {
  result: Result;
  evidence: string;
}

export interface Check {
  /** Lower-case words; also the anchor in the report. */
  id: string;
  about: string;
  expects: string;
  run: (context: Context) => Promise<Finding>;
}

const notRun = (evidence: string): Finding => ({ result: 'not run', evidence });
const passIf = (holds: boolean, evidence: string): Finding => ({ result: holds ? 'pass' : 'fail', evidence });

/** What one part of the deployment shows. `holds` undefined: it could not be seen. */
interface Seen {
  holds: boolean | undefined;
  text: string;
}

/** A finding over several parts: it fails with one of them, and is not run while one could not be seen. */
function findingOf(seen: readonly Seen[], none = 'There is none.'): Finding {
  if (seen.length === 0) return notRun(none);
  const evidence = seen.map(({ text }) => text).join('\n');
  if (seen.some(({ holds }) => holds === false)) return { result: 'fail', evidence };
  return seen.every(({ holds }) => holds) ? { result: 'pass', evidence } : notRun(evidence);
}

async function eachOf<T>(parts: readonly T[], look: (part: T) => Promise<Seen>): Promise<Seen[]> {
  const seen: Seen[] = [];
  for (const part of parts) seen.push(await look(part));
  return seen;
}

const eachApp = async ({ deployment }: Context, look: (app: App) => Promise<Seen>): Promise<Finding> =>
  findingOf(await eachOf(deployment.apps, look));

const text = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** Namespace, topic and subscription of an app, as its settings name them. */
const topicOf = ({ group }: Deployment, app: App): string[] => [
  ...['--resource-group', group, '--namespace-name', accountOf(app, 'SluiceServiceBus__fullyQualifiedNamespace')],
  ...['--topic-name', app.settings.SLUICE_TOPIC ?? 'sluice-events'],
];
const subscriptionOf = ({ settings }: App): string => settings.SLUICE_SUBSCRIPTION ?? '';

/** An app that answers this fast was running. */
const WARM_MS = 1_000;
/** learn: azure-functions/flex-consumption-plan: an app must start within 30 s. */
const START_MS = 30_000;

async function coldStart({ deployment, tools }: Context): Promise<Finding> {
  const seen = await eachOf(deployment.apps, async ({ name, url }) => {
    const first = await tools.get(`${url}/api/health`);
    const second = await tools.get(`${url}/api/health`);
    const answers = `${name}: first answer ${first.status} after ${seconds(first.ms)}, second ${second.status} after ${seconds(second.ms)}`;
    if (first.status !== 200) return { holds: false, text: answers };
    if (first.ms < WARM_MS)
      return { holds: undefined, text: `${answers}; the app was running. Try again after 30 idle minutes` };
    return { holds: first.ms <= START_MS, text: answers };
  });
  return findingOf(seen);
}

const health = (context: Context): Promise<Finding> =>
  eachApp(context, async ({ name, url }) => {
    const { status, text: body } = await context.tools.get(`${url}/api/health?deep`);
    return { holds: status === 200, text: `${name}: ${status} ${body.slice(0, 600)}` };
  });

const keys = (context: Context): Promise<Finding> =>
  eachApp(context, async ({ name, url }) => {
    const { status, text: body } = await context.tools.get(`${url}/api/batches`);
    return { holds: status === 401, text: `${name}: ${status} without a key ${status === 0 ? body : ''}`.trim() };
  });

async function smokeOf({ deployment, tools, key }: Context, more: readonly string[]): Promise<Seen> {
  const [app] = deployment.apps;
  if (app === undefined || key === undefined) return { holds: undefined, text: 'no key (--key, or SLUICE_KEY)' };
  const { code, stdout, stderr } = await tools.smoke(['--url', app.url, ...more], key);
  return { holds: code === 0, text: `${stdout}${stderr}`.trim() };
}

/** The generated batch is one of billing. */
const GENERATED = 'billing';

async function otherPools(context: Context): Promise<Finding> {
  const { deployment, batches, poolsOfWorkloads } = context;
  const others = deployment.apps.map(poolOf).filter((pool) => pool !== poolsOfWorkloads[GENERATED] && pool !== 'all');
  const seen = await eachOf(others, async (pool): Promise<Seen> => {
    const [workload, file] = Object.entries(batches).find(([name]) => poolsOfWorkloads[name] === pool) ?? [];
    if (workload === undefined || file === undefined)
      return { holds: undefined, text: `pool ${pool}: no batch for it (--batch <workload>=<file>)` };
    const { holds, text: said } = await smokeOf(context, ['--workload', workload, '--file', file]);
    return { holds, text: `pool ${pool}: ${said}` };
  });
  return findingOf(seen, 'There is one pool, which the check smoke wakes.');
}

const matchAll = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const of = [...topicOf(context.deployment, app), '--subscription-name', subscriptionOf(app)];
    const rules = (await context.tools.az('servicebus', 'topic', 'subscription', 'rule', 'list', ...of)) as {
      name: string;
    }[];
    const names = rules.map(({ name }) => name);
    return {
      holds: names.join() === 'queue-work-detected',
      text: `${subscriptionOf(app)}: ${names.join(', ') || 'no rule'}`,
    };
  });

async function duplicates({ deployment, tools }: Context): Promise<Finding> {
  const [app] = deployment.apps;
  if (app === undefined) return notRun('There is no app.');
  const of = topicOf(deployment, app).map((word) => (word === '--topic-name' ? '--name' : word));
  const topic = (await tools.az('servicebus', 'topic', 'show', ...of)) as {
    requiresDuplicateDetection?: boolean;
    duplicateDetectionHistoryTimeWindow?: string;
  };
  const { requiresDuplicateDetection: on, duplicateDetectionHistoryTimeWindow: window } = topic;
  // az writes the ten minutes as ARM does, or as a time.
  const holds = on === true && /^(PT10M|0:10:00(\.0+)?)$/.test(window ?? '');
  return passIf(holds, `requiresDuplicateDetection ${text(on)}, window ${text(window)}`);
}

const wakes = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const of = [...topicOf(context.deployment, app), '--name', subscriptionOf(app)];
    const shown = (await context.tools.az('servicebus', 'topic', 'subscription', 'show', ...of)) as {
      countDetails?: { activeMessageCount?: number; deadLetterMessageCount?: number };
    };
    const { activeMessageCount: active = 0, deadLetterMessageCount: dead = 0 } = shown.countDetails ?? {};
    return {
      holds: active === 0 && dead === 0,
      text: `${subscriptionOf(app)}: ${active} waiting, ${dead} dead letters`,
    };
  });

interface SiteConfiguration {
  runtime?: { name?: string; version?: string };
  scaleAndConcurrency?: { instanceMemoryMB?: number; maximumInstanceCount?: number };
}

/** What Flex Consumption runs an app with. */
async function configurationOf({ tools }: Context, { id }: App): Promise<SiteConfiguration> {
  const site = (await tools.az('resource', 'show', '--ids', id)) as {
    properties: { functionAppConfig?: SiteConfiguration };
  };
  return site.properties.functionAppConfig ?? {};
}

const runtime = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const { name, version } = (await configurationOf(context, app)).runtime ?? {};
    return {
      holds: name === 'node' && (version === '22' || version === '24'),
      text: `${app.name}: ${name} ${version}`,
    };
  });

const instances = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const { instanceMemoryMB, maximumInstanceCount } = (await configurationOf(context, app)).scaleAndConcurrency ?? {};
    const pool = context.pools.find(({ name }) => name === poolOf(app));
    const holds =
      pool &&
      pool.memory === instanceMemoryMB &&
      pool.maximumInstanceCount === (maximumInstanceCount ?? pool.maximumInstanceCount);
    return { holds, text: `${app.name}: ${instanceMemoryMB} MB, at most ${maximumInstanceCount} instances` };
  });

const timers = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const of = ['--resource-group', context.deployment.group, '--name', app.name];
    const listed = (await context.tools.az('functionapp', 'function', 'list', ...of)) as { name: string }[];
    const names = listed.map(({ name }) => name.split('/').at(-1));
    const wanted = ['sweep', ...(app.settings.SLUICE_INBOX_SCHEDULE ? ['collect-inbox'] : [])];
    const missing = wanted.filter((name) => !names.includes(name));
    return {
      holds: missing.length === 0,
      text: `${app.name}: ${names.length} functions, missing ${missing.join(', ') || 'none'}`,
    };
  });

async function shared({ deployment, tools }: Context): Promise<Finding> {
  const accounts = ofType(deployment, 'Microsoft.Storage/storageAccounts');
  return findingOf(
    await eachOf(accounts, async ({ id, name }) => {
      const { properties } = (await tools.az('resource', 'show', '--ids', id)) as {
        properties: Record<string, unknown>;
      };
      const { allowSharedKeyAccess: byKey, allowBlobPublicAccess: open, minimumTlsVersion: tls } = properties;
      const holds = byKey === false && open === false && tls === 'TLS1_2';
      return { holds, text: `${name}: shared keys ${text(byKey)}, public blobs ${text(open)}, ${text(tls)}` };
    }),
  );
}

/** A metric may be higher than computed by this factor: hosts that the timers start poll, too, for some minutes. */
const MARGIN = 1.25;
/** The scale controller looks every 10 s, by a peek and a read of the properties (docs/cost.md). */
const LOOKS_PER_HOUR = 360;
const READS_PER_LOOK = 2;

async function durablePolling({ deployment, tools, partitionCount }: Context): Promise<Finding> {
  const [app] = deployment.apps;
  const account = app && accountOf(app, 'AzureWebJobsStorage__queueServiceUri');
  const found = ofType(deployment, 'Microsoft.Storage/storageAccounts').find(({ name }) => name === account);
  if (found === undefined) return notRun(`There is no host account "${account}" in the group.`);
  const resource = `${found.id}/queueServices/default`;
  const hour = await quietestHour(tools, { resource, metric: 'Transactions', dimension: 'ApiName' });
  if (hour === undefined)
    return notRun('No transactions yet: metrics come some minutes late. Try again after an idle hour.');
  const usesScheduler = ofType(deployment, 'Microsoft.DurableTask/schedulers').length > 0;
  const computed = usesScheduler ? 0 : deployment.apps.length * (partitionCount + 1) * READS_PER_LOOK * LOOKS_PER_HOUR;
  return passIf(hour.total <= computed * MARGIN, `Computed ${computed} per hour. ${hourText(hour)}`);
}

/** Requests of the scale controller per hour and subscription: Azure/azure-service-bus#407. */
const BUS_READS_PER_HOUR = 1_500;

async function busPolling({ deployment, tools }: Context): Promise<Finding> {
  const [namespace] = ofType(deployment, 'Microsoft.ServiceBus/namespaces');
  if (namespace === undefined) return notRun('There is no namespace in the group.');
  const hour = await quietestHour(tools, {
    resource: namespace.id,
    metric: 'IncomingRequests',
    dimension: 'EntityName',
  });
  if (hour === undefined) return notRun('No requests yet. Try again after an idle hour.');
  const computed = deployment.apps.length * BUS_READS_PER_HOUR;
  return passIf(hour.total <= computed * MARGIN, `Assumed ${computed} per hour. ${hourText(hour)}`);
}

/** Events of drains that ended with their version, and orchestrations that were replayed against other code. */
const VERSIONS_QUERY =
  'union isfuzzy=true (AppTraces | where TimeGenerated > ago(1d) | where Message has "drain-failed" | project kind = "taken over"), ' +
  '(AppExceptions | where TimeGenerated > ago(1d) | where OuterMessage has "non-deterministic" or ProblemId has "NonDeterministic" | project kind = "replayed") ' +
  '| summarize drains = count() by kind';

async function versions({ deployment, tools }: Context): Promise<Finding> {
  const [workspace] = ofType(deployment, 'Microsoft.OperationalInsights/workspaces');
  if (workspace === undefined) return notRun('There is no workspace in the group.');
  const { properties } = (await tools.az('resource', 'show', '--ids', workspace.id)) as {
    properties: { customerId: string };
  };
  const answer = (await tools.az(
    ...['rest', '--method', 'post', '--resource', 'https://api.loganalytics.io'],
    ...['--url', `https://api.loganalytics.io/v1/workspaces/${properties.customerId}/query`],
    ...['--body', JSON.stringify({ query: VERSIONS_QUERY })],
  )) as { tables?: { rows: [string, number][] }[] };
  const counts = Object.fromEntries(answer.tables?.[0]?.rows ?? []) as Record<string, number>;
  const { replayed = 0, 'taken over': takenOver = 0 } = counts;
  const evidence = `In the last day ${takenOver} drains were taken over, ${replayed} were replayed against other code.`;
  if (replayed > 0) return passIf(false, evidence);
  return takenOver > 0
    ? passIf(true, evidence)
    : notRun(`${evidence} Deploy a changed version while a batch is running, then try again.`);
}

async function alerts({ deployment, tools }: Context): Promise<Finding> {
  const rules = ['Microsoft.Insights/scheduledQueryRules', 'Microsoft.Insights/metricAlerts'].flatMap((type) =>
    ofType(deployment, type),
  );
  const seen = await eachOf(rules, async ({ id, name }) => {
    const { properties } = (await tools.az('resource', 'show', '--ids', id)) as { properties: { enabled?: boolean } };
    return { holds: properties.enabled === true, text: `${name}: ${properties.enabled ? 'enabled' : 'disabled'}` };
  });
  return findingOf(seen, 'There is no alert rule in the group (SLUICE_ALERT_RULES).');
}

async function budget({ deployment, tools }: Context): Promise<Finding> {
  const url = `https://management.azure.com${deployment.groupId}/providers/Microsoft.Consumption/budgets?api-version=2023-11-01`;
  const { value = [] } = (await tools.az('rest', '--method', 'get', '--url', url)) as {
    value?: { name: string; properties: { amount?: number; notifications?: object } }[];
  };
  const seen = value.map(({ name, properties: { amount, notifications = {} } }): Seen => {
    const count = Object.keys(notifications).length;
    return { holds: count > 0, text: `${name}: ${amount} with ${count} notifications` };
  });
  return findingOf(seen, 'The group has no budget; it is made where the deployment is given an amount.');
}

/** The services whose logs and metrics a deployment can send to the workspace. */
const DIAGNOSED = ['Microsoft.ServiceBus/namespaces', 'Microsoft.Web/sites'];

async function diagnostics({ deployment, tools }: Context): Promise<Finding> {
  const resources = DIAGNOSED.flatMap((type) => ofType(deployment, type));
  const counts = await eachOf(resources, async ({ id, name }) => {
    const answer = await tools.az('monitor', 'diagnostic-settings', 'list', '--resource', id);
    const { value = [] } = (Array.isArray(answer) ? { value: answer } : answer) as { value?: unknown[] };
    return { holds: value.length > 0, text: `${name}: ${value.length} diagnostic settings` };
  });
  if (counts.every(({ holds }) => !holds))
    return notRun('No diagnostic settings: the deployment makes them where it is asked to.');
  return findingOf(counts);
}

/** Names of the services in the price list (learn: rest/api/cost-management/retail-prices/azure-retail-prices). */
const PRICED = ['Functions', 'Storage', 'Service Bus', 'Log Analytics', 'Azure Monitor', 'Durable Task Scheduler'];
const MAX_PAGES = 20;
export const PRICES_FILE = 'out/retail-prices.json';

async function prices({ deployment, tools }: Context): Promise<Finding> {
  const items: unknown[] = [];
  const lines: string[] = [];
  for (const service of PRICED) {
    const filter = `armRegionName eq '${deployment.location}' and serviceName eq '${service}' and priceType eq 'Consumption'`;
    let next: string | null = `https://prices.azure.com/api/retail/prices?$filter=${encodeURIComponent(filter)}`;
    const before = items.length;
    for (let page = 0; next !== null && page < MAX_PAGES; page++) {
      const { status, text: body } = await tools.get(next);
      if (status !== 200) throw new Error(`The price list answered ${status} for ${service}.`);
      const answer = JSON.parse(body) as { Items: unknown[]; NextPageLink: string | null };
      items.push(...answer.Items);
      next = answer.NextPageLink || null;
    }
    lines.push(`${service}: ${items.length - before} prices${next === null ? '' : ', and more'}`);
  }
  await tools.saveFile(PRICES_FILE, `${JSON.stringify({ Items: items }, undefined, 1)}\n`);
  return passIf(
    items.length > 0,
    `${lines.join('\n')}\nSaved as ${PRICES_FILE}; npm run cost -- import-prices ${PRICES_FILE} reads it.`,
  );
}

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
