/**
 * Checks of the other resources of the group: storage accounts, workspace, alerts, budget, diagnostics and prices. The table in
 * checks.ts contains what each check expects.
 */
import { type Context, eachOf, type Finding, findingOf, notRun, passIf, type Seen, text } from './check.ts';
import { ofType } from './deployment.ts';

export async function shared({ deployment, tools }: Context): Promise<Finding> {
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

/** Counts the drains that failed because of a new version, and the orchestrations that were replayed against other code. */
const VERSIONS_QUERY =
  'union isfuzzy=true (AppTraces | where TimeGenerated > ago(1d) | where Message has "drain-failed" | project kind = "taken over"), ' +
  '(AppExceptions | where TimeGenerated > ago(1d) | where OuterMessage has "non-deterministic" or ProblemId has "NonDeterministic" | project kind = "replayed") ' +
  '| summarize drains = count() by kind';

export async function versions({ deployment, tools }: Context): Promise<Finding> {
  const [workspace] = ofType(deployment, 'Microsoft.OperationalInsights/workspaces');
  if (workspace === undefined) return notRun('The group has no workspace.');
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
  const evidence = `In the last day, ${takenOver} drains were replaced, and ${replayed} were replayed against other code.`;
  if (replayed > 0) return passIf(false, evidence);
  return takenOver > 0
    ? passIf(true, evidence)
    : notRun(`${evidence} Deploy a changed version while a batch is running, then try again.`);
}

export async function alerts({ deployment, tools }: Context): Promise<Finding> {
  const rules = ['Microsoft.Insights/scheduledQueryRules', 'Microsoft.Insights/metricAlerts'].flatMap((type) =>
    ofType(deployment, type),
  );
  const seen = await eachOf(rules, async ({ id, name }) => {
    const { properties } = (await tools.az('resource', 'show', '--ids', id)) as { properties: { enabled?: boolean } };
    return { holds: properties.enabled === true, text: `${name}: ${properties.enabled ? 'enabled' : 'disabled'}` };
  });
  return findingOf(seen, 'The group has no alert rules (SLUICE_ALERT_RULES).');
}

export async function budget({ deployment, tools }: Context): Promise<Finding> {
  const url = `https://management.azure.com${deployment.groupId}/providers/Microsoft.Consumption/budgets?api-version=2023-11-01`;
  const { value = [] } = (await tools.az('rest', '--method', 'get', '--url', url)) as {
    value?: { name: string; properties: { amount?: number; notifications?: object } }[];
  };
  const seen = value.map(({ name, properties: { amount, notifications = {} } }): Seen => {
    const count = Object.keys(notifications).length;
    return { holds: count > 0, text: `${name}: ${amount} with ${count} notifications` };
  });
  return findingOf(seen, 'The group has no budget; set SLUICE_MONTHLY_BUDGET to deploy one.');
}

/** The services whose logs and metrics a deployment can send to the workspace. */
const DIAGNOSED = ['Microsoft.ServiceBus/namespaces', 'Microsoft.Web/sites'];

export async function diagnostics({ deployment, tools }: Context): Promise<Finding> {
  const resources = DIAGNOSED.flatMap((type) => ofType(deployment, type));
  const counts = await eachOf(resources, async ({ id, name }) => {
    const answer = await tools.az('monitor', 'diagnostic-settings', 'list', '--resource', id);
    const { value = [] } = (Array.isArray(answer) ? { value: answer } : answer) as { value?: unknown[] };
    return { holds: value.length > 0, text: `${name}: ${value.length} diagnostic settings` };
  });
  if (counts.every(({ holds }) => !holds))
    return notRun('There are no diagnostic settings; set SLUICE_DIAGNOSTIC_SETTINGS to deploy them.');
  return findingOf(counts);
}

/**
 * Names of the services in the price list. Source: Microsoft Learn,
 * rest/api/cost-management/retail-prices/azure-retail-prices.
 */
const PRICED = ['Functions', 'Storage', 'Service Bus', 'Log Analytics', 'Azure Monitor', 'Durable Task Scheduler'];
const MAX_PAGES = 20;
export const PRICES_FILE = 'out/retail-prices.json';

export async function prices({ deployment, tools }: Context): Promise<Finding> {
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
    `${lines.join('\n')}\nSaved as ${PRICES_FILE}. To use it: npm run cost -- import-prices ${PRICES_FILE}`,
  );
}
