/**
 * A subscriber of Sluice's events: stores the report of each batch, records what needs a person, and reads results
 * before their batch has ended. The filter of the subscription decides which of these events arrive.
 *
 *   node subscriber.ts SUBSCRIPTION FOLDER
 *
 * SLUICE_EVENTS is a namespace (`<name>.servicebus.windows.net`), which your Azure login or a managed identity opens, or a
 * connection string. SLUICE_URL and SLUICE_KEY are the app, and a client's key for it.
 */
import { access, appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultAzureCredential } from '@azure/identity';
import { ServiceBusClient, type ServiceBusReceivedMessage } from '@azure/service-bus';

/** The fields of version 1 that are used here. Version 1 may get further ones. */
interface SluiceEvent {
  v: 1;
  type: string;
  at: string;
  workload?: string;
  batch?: string;
  labels?: Record<string, string>;
  details?: { state?: string; revision?: number; chunks?: string[] };
}

const [subscription, folder] = process.argv.slice(2);
const { SLUICE_EVENTS: namespace, SLUICE_URL: url, SLUICE_KEY: key } = process.env;
if (!subscription || !folder || !namespace || !url || !key) {
  throw new Error('Expected SUBSCRIPTION and FOLDER, and SLUICE_EVENTS, SLUICE_URL and SLUICE_KEY in the environment.');
}

/** What is done for each type. */
const HANDLERS = new Map([
  ['BatchCompleted', storeReport],
  ['ResultsReady', storeResults],
  ['ItemsDeadLettered', notify],
  ['DeadlineAtRisk', notify],
  ['BatchPaused', notify],
  ['InboxRejected', notify],
]);

/** Persists: one file per revision; a redrive makes another revision. */
async function storeReport({ batch, details }: SluiceEvent): Promise<void> {
  const { state, revision } = details ?? {};
  if (state === 'reportFailed') return console.log(`Batch ${batch} ended without a report.`);
  await store(`report-${batch}-${revision}.ndjson`, await get(`batches/${batch}/report?revision=${revision}`));
}

/** Reacts: takes the results of the chunks that have just ended. */
async function storeResults({ batch, details }: SluiceEvent): Promise<void> {
  for (const chunk of details?.chunks ?? []) {
    await store(`results-${batch}-${chunk}.ndjson`, await get(`batches/${batch}/results?from=${chunk}&limit=1`));
  }
}

/** Monitors: here a line in a file, elsewhere a ticket or a chat. */
async function notify({ at, type, workload = '', batch = '', details }: SluiceEvent): Promise<void> {
  await appendFile(
    join(`${folder}`, 'notices.log'),
    `${[at, type, workload, batch, JSON.stringify(details)].join(' ')}\n`,
  );
}

async function get(path: string): Promise<string> {
  const answer = await fetch(`${url}/api/${path}`, { headers: { 'x-functions-key': `${key}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
  return text;
}

/** Writes a file atomically; a repeat writes the same content again. */
async function store(name: string, content: string): Promise<void> {
  const path = join(`${folder}`, name);
  await writeFile(`${path}.part`, content);
  await rename(`${path}.part`, path);
}

/** Reads the event; undefined for what this program does not know: newer versions, new types, messages of others. */
function readEvent(body: unknown): SluiceEvent | undefined {
  if (typeof body !== 'object' || body === null || !('v' in body) || body.v !== 1) return undefined;
  return 'type' in body && typeof body.type === 'string' && HANDLERS.has(body.type) ? (body as SluiceEvent) : undefined;
}

async function handle({ messageId, body }: ServiceBusReceivedMessage): Promise<void> {
  const event = readEvent(body);
  if (event === undefined) return console.log(`Ignored ${messageId}`);
  // Events come at least once. The mark is written after the work, so a crash between the two repeats the work:
  // it has to be repeatable, or in a database one transaction with its mark.
  const mark = join(`${folder}`, 'done', encodeURIComponent(String(messageId)));
  if (await isThere(mark)) return console.log(`Repeated ${messageId}`);
  await HANDLERS.get(event.type)?.(event);
  await writeFile(mark, '');
  console.log(`Handled ${messageId}`);
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

await mkdir(join(folder, 'done'), { recursive: true });
const bus = namespace.startsWith('Endpoint=')
  ? new ServiceBusClient(namespace)
  : new ServiceBusClient(namespace, new DefaultAzureCredential());
const receiver = bus.createReceiver('sluice-events', subscription);
const stopping = new AbortController();
let running = Promise.resolve();

/** Handles a message, and completes it only if that succeeded. */
async function handleAndComplete(message: ServiceBusReceivedMessage): Promise<void> {
  try {
    await handle(message);
  } catch (error) {
    console.error(`Failed ${message.messageId}`, error);
    // The app may be down for a while. After its tenth delivery, here some minutes after the first, the message is moved to
    // the dead-letter queue of the subscription.
    const seconds = Math.min(60, 2 ** (message.deliveryCount ?? 0));
    await sleep(seconds * 1_000, undefined, { signal: stopping.signal }).catch(() => {});
    return await receiver.abandonMessage(message);
  }
  await receiver.completeMessage(message);
}

const listening = receiver.subscribe(
  {
    processMessage: (message) => {
      running = handleAndComplete(message);
      return running;
    },
    processError: async ({ error }) => console.error(error),
  },
  { autoCompleteMessages: false, maxConcurrentCalls: 1 },
);
console.log(`Listens to ${subscription}`);

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, async () => {
    console.log('Stopping');
    stopping.abort();
    // Running handlers finish; waiting messages stay in the subscription.
    await listening.close();
    await running.catch(() => {});
    await bus.close();
    console.log('Stopped');
  });
}
