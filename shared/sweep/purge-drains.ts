import { type DurableClient, OrchestrationRuntimeStatus } from 'durable-functions';

/** The part of the durable client that purging needs. */
export type PurgeClient = Pick<DurableClient, 'purgeInstanceHistoryBy'>;

/** Purges drains that have ended and were created between two times. Returns how many. */
export async function purgeDrains(client: PurgeClient, from: Date, to: Date): Promise<number> {
  const { Completed, Failed, Terminated } = OrchestrationRuntimeStatus;
  const { instancesDeleted } = await client.purgeInstanceHistoryBy({
    createdTimeFrom: from,
    createdTimeTo: to,
    runtimeStatus: [Completed, Failed, Terminated],
  });
  return instancesDeleted;
}
