/**
 * Checks of the answers and the configuration of the function apps. The table in checks.ts contains what each check expects.
 */
import { type Context, eachApp, eachOf, type Finding, findingOf, notRun, passIf, type Seen } from './check.ts';
import { type App, ofType, poolOf, readSettings } from './deployment.ts';

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** An app that answers faster than this was already running. */
const WARM_MS = 1_000;
/** An app must start within 30 s. Source: Microsoft Learn, azure-functions/flex-consumption-plan. */
const START_MS = 30_000;

export async function coldStart({ deployment, tools }: Context): Promise<Finding> {
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

export const health = (context: Context): Promise<Finding> =>
  eachApp(context, async ({ name, url }) => {
    const { status, text: body } = await context.tools.get(`${url}/api/health?deep`);
    return { holds: status === 200, text: `${name}: ${status} ${body.slice(0, 600)}` };
  });

export const keys = (context: Context): Promise<Finding> =>
  eachApp(context, async ({ name, url }) => {
    const { status, text: body } = await context.tools.get(`${url}/api/batches`);
    return { holds: status === 401, text: `${name}: ${status} without a key ${status === 0 ? body : ''}`.trim() };
  });

export async function removedKey({ deployment, tools, removedKey: key }: Context): Promise<Finding> {
  const [app] = deployment.apps;
  if (app === undefined || key === undefined)
    return notRun('no removed key was given (--removed-key or SLUICE_REMOVED_KEY)');
  const { status, text: body } = await tools.get(`${app.url}/api/batches`, key);
  return passIf(status === 401, `${app.name}: ${status} with the removed key ${status === 0 ? body : ''}`.trim());
}

/** Settings with a connection string, which the host prefers to the identity, even if they are empty. */
const PREFERRED_TO_IDENTITY = ['AzureWebJobsStorage', 'DEPLOYMENT_STORAGE_CONNECTION_STRING'];

export const hostStorage = (context: Context): Promise<Finding> =>
  eachApp(context, async ({ name }) => {
    const names = Object.keys(await readSettings(context.tools, context.deployment.group, name));
    const wrong = PREFERRED_TO_IDENTITY.filter((each) => names.includes(each));
    const hasAccount = names.includes('AzureWebJobsStorage__accountName');
    return {
      holds: hasAccount && wrong.length === 0,
      text: `${name}: ${hasAccount ? 'has' : 'lacks'} AzureWebJobsStorage__accountName, connection strings ${wrong.join(', ') || 'none'}`,
    };
  });

interface Health {
  cores?: number;
  memoryMb?: number;
  threads?: number;
  durableBackend?: string;
}

/** Reads the health of an app. An app that does not answer in JSON has no health. */
async function healthOf({ tools }: Context, { url }: App): Promise<Health> {
  const { text: body } = await tools.get(`${url}/api/health`);
  try {
    return JSON.parse(body) as Health;
  } catch {
    return {};
  }
}

export const durableBackend = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const hasScheduler = ofType(context.deployment, 'Microsoft.DurableTask/schedulers').length > 0;
    const { durableBackend: packaged } = await healthOf(context, app);
    const overrides = Object.keys(app.settings).filter((name) => name.startsWith('AzureFunctionsJobHost__'));
    return {
      holds: packaged === (hasScheduler ? 'dts' : 'azureStorage') && overrides.length === 0,
      text: `${app.name}: the package has ${packaged ?? 'no backend'}, the group ${hasScheduler ? 'a' : 'no'} scheduler, overrides of host.json: ${overrides.join(', ') || 'none'}`,
    };
  });

export async function smokeOf({ deployment, tools, key }: Context, more: readonly string[]): Promise<Seen> {
  const [app] = deployment.apps;
  if (app === undefined || key === undefined)
    return { holds: undefined, text: 'no key was given (--key or SLUICE_KEY)' };
  const { code, stdout, stderr } = await tools.smoke(['--url', app.url, ...more], key);
  return { holds: code === 0, text: `${stdout}${stderr}`.trim() };
}

/** The workload of the generated batch. */
const GENERATED = 'billing';

export async function otherPools(context: Context): Promise<Finding> {
  const { deployment, batches, poolsOfWorkloads } = context;
  const others = deployment.apps.map(poolOf).filter((pool) => pool !== poolsOfWorkloads[GENERATED] && pool !== 'all');
  const seen = await eachOf(others, async (pool): Promise<Seen> => {
    const [workload, file] = Object.entries(batches).find(([name]) => poolsOfWorkloads[name] === pool) ?? [];
    if (workload === undefined || file === undefined)
      return { holds: undefined, text: `pool ${pool}: no batch was given (--batch <workload>=<file>)` };
    const { holds, text: output } = await smokeOf(context, ['--workload', workload, '--file', file]);
    return { holds, text: `pool ${pool}: ${output}` };
  });
  return findingOf(seen, 'There is only one pool, which the check smoke wakes.');
}

interface SiteConfiguration {
  siteUpdateStrategy?: { type?: string };
  runtime?: { name?: string; version?: string };
  scaleAndConcurrency?: { instanceMemoryMB?: number; maximumInstanceCount?: number };
}

/** Reads the Flex Consumption configuration of an app. */
async function configurationOf({ tools }: Context, { id }: App): Promise<SiteConfiguration> {
  const site = (await tools.az('resource', 'show', '--ids', id)) as {
    properties: { functionAppConfig?: SiteConfiguration };
  };
  return site.properties.functionAppConfig ?? {};
}

export const runtime = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const { name, version } = (await configurationOf(context, app)).runtime ?? {};
    return {
      holds: name === 'node' && (version === '22' || version === '24'),
      text: `${app.name}: ${name} ${version}`,
    };
  });

/** Activities per instance, as in host.json and in the template. */
const ACTIVITIES = 5;

export const instances = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const { instanceMemoryMB, maximumInstanceCount } = (await configurationOf(context, app)).scaleAndConcurrency ?? {};
    const pool = context.pools.find(({ name }) => name === poolOf(app));
    const capacity = app.settings.SLUICE_CAPACITY;
    const holds =
      pool &&
      pool.memory === instanceMemoryMB &&
      pool.maximumInstanceCount === (maximumInstanceCount ?? pool.maximumInstanceCount) &&
      Number(capacity) === pool.maximumInstanceCount * ACTIVITIES;
    const { cores, memoryMb, threads } = await healthOf(context, app);
    const hasThreads = String(threads) === app.settings.SLUICE_THREADS;
    const sees = `its process has ${threads} threads and sees ${cores} cores and ${memoryMb} MB`;
    const size = `${instanceMemoryMB} MB, at most ${maximumInstanceCount} instances, capacity ${capacity}`;
    return { holds: holds && hasThreads, text: `${app.name}: ${size}; ${sees}` };
  });

export const updateStrategy = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const { type } = (await configurationOf(context, app)).siteUpdateStrategy ?? {};
    return { holds: type === 'Recreate' || type === 'RollingUpdate', text: `${app.name}: ${type}` };
  });

export const timers = (context: Context): Promise<Finding> =>
  eachApp(context, async (app) => {
    const of = ['--resource-group', context.deployment.group, '--name', app.name];
    const listed = (await context.tools.az('functionapp', 'function', 'list', ...of)) as { name: string }[];
    const names = listed.map(({ name }) => name.split('/').at(-1));
    const expected = ['sweep', ...(app.settings.SLUICE_INBOX_SCHEDULE ? ['scan-inbox'] : [])];
    const missing = expected.filter((name) => !names.includes(name));
    return {
      holds: missing.length === 0,
      text: `${app.name}: ${names.length} functions, missing ${missing.join(', ') || 'none'}`,
    };
  });
