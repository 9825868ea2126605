/**
 * Maps meters of the Azure Retail Prices API to price classes: LRS, Hot blobs, Flex Consumption. Names are those of
 * public users of the API (infracost, Azure's own pricing skills). If a meter has another name in your region, it is
 * listed as not found; add a line here.
 */
import type { PriceClass } from '../../../shared/cost/sheet.ts';

/** A meter by the fields of the API. Names are compared exactly, as the API does since 2023-01-01-preview. */
export interface Meter {
  priceClass: PriceClass;
  serviceName: string;
  productName: string;
  skuName: string;
  /** If the class covers several meters, all of them must have the same price. */
  meterNames: readonly string[];
  /** The class that receives the start of the first tier with a price: the free amount before it. */
  includedClass?: PriceClass;
}

const QUEUES = { serviceName: 'Storage', productName: 'Queues v2', skuName: 'Standard LRS' };
const BLOBS = { serviceName: 'Storage', productName: 'General Block Blob v2', skuName: 'Hot LRS' };
const TABLES = { serviceName: 'Storage', productName: 'Tables', skuName: 'Standard LRS' };
const BUS = { serviceName: 'Service Bus', productName: 'Service Bus' };
const ON_DEMAND = { serviceName: 'Functions', productName: 'Flex Consumption', skuName: 'On Demand' };
const MONITOR = { serviceName: 'Azure Monitor', productName: 'Azure Monitor', skuName: 'Alerts' };

/** In the order of the classes of a sheet. */
export const METERS: readonly Meter[] = [
  { priceClass: 'queue.class1', ...QUEUES, meterNames: ['LRS Class 1 Operations'] },
  { priceClass: 'queue.class2', ...QUEUES, meterNames: ['Class 2 Operations'] },
  { priceClass: 'blob.write', ...BLOBS, meterNames: ['Hot LRS Write Operations'] },
  { priceClass: 'blob.read', ...BLOBS, meterNames: ['Hot Read Operations'] },
  { priceClass: 'blob.list', ...BLOBS, meterNames: ['LRS List and Create Container Operations'] },
  { priceClass: 'blob.other', ...BLOBS, meterNames: ['All Other Operations'] },
  {
    priceClass: 'table.operation',
    ...TABLES,
    meterNames: [
      ...['Batch Write Operations', 'Write Operations', 'Read Operations'],
      ...['Scan Operations', 'List Operations', 'Delete Operations'],
    ],
  },
  { priceClass: 'storage.gbMonth', ...BLOBS, meterNames: ['Hot LRS Data Stored'] },
  {
    priceClass: 'servicebus.operation',
    ...BUS,
    skuName: 'Standard',
    meterNames: ['Standard Messaging Operations'],
    includedClass: 'servicebus.included',
  },
  { priceClass: 'servicebus.base', ...BUS, skuName: 'Standard', meterNames: ['Standard Base Unit'] },
  { priceClass: 'servicebus.premium', ...BUS, skuName: 'Premium', meterNames: ['Premium Messaging Unit'] },
  {
    priceClass: 'functions.execution',
    ...ON_DEMAND,
    meterNames: ['On Demand Total Executions'],
    includedClass: 'functions.includedExecutions',
  },
  {
    priceClass: 'functions.gbSecond',
    ...ON_DEMAND,
    meterNames: ['On Demand Execution Time'],
    includedClass: 'functions.includedGbSeconds',
  },
  {
    priceClass: 'functions.alwaysReadyGbSecond',
    ...{ serviceName: 'Functions', productName: 'Flex Consumption', skuName: 'Always Ready' },
    meterNames: ['Always Ready Baseline'],
  },
  {
    priceClass: 'durable.action',
    ...{ serviceName: 'Durable Task Scheduler', productName: 'Durable Task Scheduler', skuName: 'Consumption' },
    meterNames: ['Consumption Action'],
  },
  { priceClass: 'alert.log', ...MONITOR, meterNames: ['Alerts System Log Monitored at 15 Minute Frequency'] },
  {
    priceClass: 'alert.metric',
    ...MONITOR,
    meterNames: ['Alerts Metric Monitored'],
    includedClass: 'alert.includedMetrics',
  },
  {
    priceClass: 'log.gb',
    ...{ serviceName: 'Log Analytics', productName: 'Log Analytics', skuName: 'Analytics Logs' },
    meterNames: ['Analytics Logs Data Ingestion'],
    includedClass: 'log.includedGb',
  },
  {
    priceClass: 'network.privateEndpoint',
    ...{ serviceName: 'Virtual Network', productName: 'Virtual Network Private Link', skuName: 'Standard' },
    meterNames: ['Standard Private Endpoint'],
  },
  {
    priceClass: 'network.privateDnsZone',
    ...{ serviceName: 'Azure DNS', productName: 'Azure DNS', skuName: 'Private' },
    meterNames: ['Private Zone'],
  },
];
