/** Checks of the platform's own operations without work. The table in checks.ts contains what each check expects. */
import { type Context, type Finding, notRun, passIf } from './check.ts';
import { accountOf, ofType } from './deployment.ts';
import { hourText, quietestHour } from './metrics.ts';

/** Maximum ratio of a metric to the computed value: hosts started by timers also poll for some minutes. */
const MARGIN = 1.25;
/** The scale controller polls every 10 s, with a peek and a read of the properties (docs/cost.md). */
const POLLS_PER_HOUR = 360;
const READS_PER_POLL = 2;

export async function durablePolling({ deployment, tools, partitionCount }: Context): Promise<Finding> {
  const [app] = deployment.apps;
  const account = app && accountOf(app, 'AzureWebJobsStorage__queueServiceUri');
  const found = ofType(deployment, 'Microsoft.Storage/storageAccounts').find(({ name }) => name === account);
  if (found === undefined) return notRun(`The group has no host account "${account}".`);
  const resource = `${found.id}/queueServices/default`;
  const hour = await quietestHour(tools, { resource, metric: 'Transactions', dimension: 'ApiName' });
  if (hour === undefined)
    return notRun(
      'There are no transactions yet: metrics are some minutes late. Try again after an hour without work.',
    );
  const usesScheduler = ofType(deployment, 'Microsoft.DurableTask/schedulers').length > 0;
  const computed = usesScheduler ? 0 : deployment.apps.length * (partitionCount + 1) * READS_PER_POLL * POLLS_PER_HOUR;
  return passIf(hour.total <= computed * MARGIN, `Computed ${computed} per hour. ${hourText(hour)}`);
}

/** Requests of the scale controller per hour and subscription. Source: Azure/azure-service-bus#407. */
const BUS_READS_PER_HOUR = 1_500;

export async function busPolling({ deployment, tools }: Context): Promise<Finding> {
  const [namespace] = ofType(deployment, 'Microsoft.ServiceBus/namespaces');
  if (namespace === undefined) return notRun('The group has no Service Bus namespace.');
  const hour = await quietestHour(tools, {
    resource: namespace.id,
    metric: 'IncomingRequests',
    dimension: 'EntityName',
  });
  if (hour === undefined) return notRun('There are no requests yet. Try again after an hour without work.');
  const computed = deployment.apps.length * BUS_READS_PER_HOUR;
  return passIf(hour.total <= computed * MARGIN, `Assumed ${computed} per hour. ${hourText(hour)}`);
}
