import { setTimeout as sleep } from 'node:timers/promises';
import { TableClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import type { BatchAnswer } from '../helpers/client.ts';
import { BATCHES, type BatchName, type UpgradeItem } from './batches.ts';
import { gateChanges, type Holds, outcomesOf, puts, receives } from './holds.ts';
import type { RecordedBatch } from './recording/files.ts';
import type { Host, Services } from './stack.ts';

/** What a recording is made with. */
export interface Stage {
  services: Services;
  host: Host;
  holds: Holds;
  print: (line: string) => void;
}

const POLL_MS = 200;
const PATIENCE_MS = 60_000;
/** How much of the large upload is sent. */
const SENT_SHARE = 0.9;

/** A batch in its state. What of it is left is known when the app is killed. */
export type StagedBatch = Omit<RecordedBatch, 'left'> & { name: BatchName };

/** The idempotency key of a batch. */
export const keyOf = (name: string): string => `upgrade-${name}`;

/** The body of an upload. */
export const bodyOf = (items: readonly UpgradeItem[]): string => items.map((item) => JSON.stringify(item)).join('\n');

/** Sends a batch, and returns the answer. */
export const upload = ({ api }: Host, name: BatchName, body: RequestInit['body']): Promise<Response> =>
  api(`workloads/${BATCHES[name].workload}/batches`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': keyOf(name) },
    body,
    duplex: 'half',
  } as RequestInit);

/**
 * Brings one batch into each state. Those whose state is an interrupted step come last, because from then on the app
 * stands still at that step.
 * @throws Error if a batch does not reach its state
 */
export async function bringIntoStates(stage: Stage): Promise<StagedBatch[]> {
  const { services, host, holds, print } = stage;
  const queues = QueueServiceClient.fromConnectionString(services.storage);
  const depth = async (queue: string): Promise<number> =>
    (await queues.getQueueClient(queue).getProperties()).approximateMessagesCount ?? 0;
  const ids = new Map<BatchName, string>();
  const send = async (name: BatchName): Promise<string> => {
    print(`Batch ${name}`);
    const answer = await upload(host, name, bodyOf(BATCHES[name].items));
    const text = await answer.text();
    if (answer.status !== 202) throw new Error(`Batch ${name}: expected 202, got ${answer.status}: ${text}`);
    const { id } = JSON.parse(text) as BatchAnswer;
    ids.set(name, id);
    return id;
  };
  const post = async (path: string, body: unknown): Promise<void> => {
    const answer = await host.api(path, { method: 'POST', body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status}: ${await answer.text()}`);
  };
  const read = async (id: string) => (await (await host.api(`batches/${id}`)).json()) as BatchAnswer;
  const reaches = (id: string, isReached: (batch: BatchAnswer) => boolean) => until(() => read(id), isReached);
  const isHalfDone = ({ counts, chunks }: BatchAnswer): boolean => counts.pending > 0 && chunks.done > 1;

  await services.hold(true);
  for (const name of ['ended', 'dead', 'redriven'] as const)
    await reaches(await send(name), ({ counts }) => counts.pending === 0);

  holds.add(receives('collecting-results'));
  const collecting = await send('collecting');
  const results = BlobServiceClient.fromConnectionString(services.storage).getContainerClient('results');
  const countOutcomes = async (): Promise<number> => {
    let count = 0;
    for await (const { name } of results.listBlobsFlat()) if (name.includes(collecting)) count += 1;
    return count;
  };
  await until(countOutcomes, (count) => count === BATCHES.collecting.items.length);
  await until(
    () => depth('collecting-normal-0'),
    (messages) => messages === 0,
  );

  await reaches(await send('retrying'), ({ counts }) => counts.retried === 1);
  await reaches(await send('running'), isHalfDone);
  const paused = await send('paused');
  await reaches(paused, isHalfDone);
  await post(`batches/${paused}/pause`, { reason: 'upgrade' });

  holds.add(gateChanges('queued-normal-0'));
  holds.add(gateChanges('redriven-normal-0'));
  await send('queued');
  await post(`batches/${await send('waiting')}/pause`, { reason: 'upgrade' });
  const cancelling = await send('cancelling');
  holds.add(outcomesOf(cancelling));
  // Never answered: the app is killed before.
  void post(`batches/${cancelling}/cancel`, {}).catch(() => undefined);
  await reaches(cancelling, ({ state }) => state === 'cancelling');
  const redriven = ids.get('redriven') ?? '';
  await post(`batches/${redriven}/dead-letters/redrive`, { key: 'upgrade-redrive', patch: { do: null } });
  await reaches(redriven, ({ state, revision }) => state === 'queued' && revision === 1);

  // Otherwise, the first calls only find that there is no queue.
  await queues.createQueue('enqueueing-normal-0');
  holds.add(puts('enqueueing-normal-0', 2));
  ids.set('enqueueing', await interruptEnqueueing(stage, () => depth('enqueueing-normal-0')));
  ids.set('uploading', await interruptUpload(stage));
  for (const name of names(BATCHES)) await checkState(stage, name, ids.get(name) ?? '');
  return names(BATCHES).map((name) => toStaged(name, ids.get(name) ?? ''));
}

const names = (batches: typeof BATCHES) => Object.keys(batches) as BatchName[];

const toStaged = (name: BatchName, id: string): StagedBatch => {
  const { workload, state, end } = BATCHES[name];
  return { name, workload, key: keyOf(name), id, state, end };
};

/** The state of a batch must still be as planned when the app is killed. */
async function checkState({ host }: Stage, name: BatchName, id: string): Promise<void> {
  if (name === 'uploading') return;
  const { state } = (await (await host.api(`batches/${id}`)).json()) as BatchAnswer;
  if (state !== BATCHES[name].state) throw new Error(`Batch ${name}: expected ${BATCHES[name].state}, got ${state}.`);
}

/** Sends a batch whose first references are put, and returns its id. */
async function interruptEnqueueing({ services, host, print }: Stage, depth: () => Promise<number>): Promise<string> {
  print('Batch enqueueing');
  void upload(host, 'enqueueing', bodyOf(BATCHES.enqueueing.items)).catch(() => undefined);
  await until(
    () => depth().catch(() => 0),
    (messages) => messages > 0,
  );
  const batches = TableClient.fromConnectionString(services.storage, 'batches', { allowInsecureConnection: true });
  const filter = "RowKey eq 'batch' and workload eq 'enqueueing'";
  for await (const { partitionKey = '' } of batches.listEntities({ queryOptions: { filter } })) return partitionKey;
  throw new Error('Expected the row of the batch enqueueing.');
}

/** Sends half of an upload, waits until it has staged a block, and returns the id that its batch would get. */
async function interruptUpload({ services, host, print }: Stage): Promise<string> {
  print('Batch uploading');
  const body = Buffer.from(bodyOf(BATCHES.uploading.items));
  const half = body.subarray(0, body.length * SENT_SHARE);
  const stream = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(half) });
  void upload(host, 'uploading', stream).catch(() => undefined);
  const payloads = BlobServiceClient.fromConnectionString(services.storage).getContainerClient('payloads');
  const staged = async (): Promise<string | undefined> => {
    const committed = new Set<string>();
    for await (const { name } of payloads.listBlobsFlat()) committed.add(name);
    for await (const { name } of payloads.listBlobsFlat({ includeUncommitedBlobs: true }))
      if (!committed.has(name)) return name;
    return undefined;
  };
  await until(staged, (name) => name !== undefined);
  const keys = TableClient.fromConnectionString(services.storage, 'keys', { allowInsecureConnection: true });
  for await (const { batch, digest } of keys.listEntities<{ batch: string; digest?: string }>())
    if (digest === undefined) return batch;
  throw new Error('Expected the row of the key of the batch uploading.');
}

/** Polls until the answer is as wanted, and returns it. */
async function until<T>(read: () => Promise<T>, isWanted: (value: T) => boolean): Promise<T> {
  for (const endMs = Date.now() + PATIENCE_MS; ; ) {
    const value = await read();
    if (isWanted(value)) return value;
    if (Date.now() > endMs) throw new Error(`Not reached within a minute; the last answer is ${JSON.stringify(value)}`);
    await sleep(POLL_MS);
  }
}
