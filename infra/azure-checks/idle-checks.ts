/** Checks of what the platform spends while nothing is going on. What each expects is said by its row in checks.ts. */
import { type Context, type Finding, notRun, passIf } from './check.ts';
import { accountOf, ofType } from './deployment.ts';
import { hourText, quietestHour } from './metrics.ts';

/** A metric may be higher than computed by this factor: hosts that the timers start poll, too, for some minutes. */
const MARGIN = 1.25;
/** The scale controller looks every 10 s, by a peek and a read of the properties (docs/cost.md). */
const LOOKS_PER_HOUR = 360;
const READS_PER_LOOK = 2;

export async function durablePolling({ deployment, tools, partitionCount }: Context): Promise<Finding> {
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

export async function busPolling({ deployment, tools }: Context): Promise<Finding> {
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
