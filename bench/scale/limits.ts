/** Documented limits of the services, each with its source. None of them was measured. */

/** A limit and its source; `learn:` is short for https://learn.microsoft.com/azure/. */
export interface ServiceLimit {
  what: string;
  value: number;
  source: string;
}

const ACCOUNT = 'learn:storage/common/scalability-targets-standard-account';
const DURABLE = 'learn:durable-task/durable-functions/durable-functions-azure-storage-provider';

/** Per second, unless the name contains a unit. */
export const LIMITS = {
  account: { what: 'requests per storage account (40,000 in some regions)', value: 20_000, source: ACCOUNT },
  egressBytes: {
    what: 'bytes out of a storage account (50 Gbps; 200 in some regions)',
    value: 50e9 / 8,
    source: ACCOUNT,
  },
  queue: { what: 'messages of a storage queue', value: 2_000, source: 'learn:storage/queues/scalability-targets' },
  partition: {
    what: 'entities of a table partition',
    value: 2_000,
    source: 'learn:storage/tables/scalability-targets',
  },
  blob: { what: 'requests of one blob', value: 3_000, source: 'learn:storage/blobs/scalability-targets' },
  serviceBus: {
    what: 'credits of a Standard namespace: send, receive, filter evaluation 1 each',
    value: 1_000,
    source: 'learn:service-bus-messaging/service-bus-throttling',
  },
  fanOut: { what: 'activities that one orchestration starts, Azure Storage backend', value: 100, source: DURABLE },
  fanIn: { what: 'activities whose end one orchestration processes', value: 150, source: DURABLE },
} as const satisfies Record<string, ServiceLimit>;
