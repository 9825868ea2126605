/** Names that cross a border (routes, queues, paths, filters). All are validated here before they are used as one. */
import { randomBytes } from 'node:crypto';

/** Longest queue name Azure Queue Storage takes (learn: naming queues and metadata). */
export const MAX_QUEUE_NAME = 63;

const WORKLOAD = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LANE = /^[a-z][a-z0-9]*$/;
const POOL = /^[a-z][a-z0-9]{0,19}$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const CHUNK = /^[a-z0-9][a-z0-9.]{0,200}$/;

/** Lanes that the pipeline keeps for itself: finished chunks, and messages that nobody can read. */
const RESERVED_LANES = ['results', 'poison'] as const;

/** Whether `name` may name a workload: lower-case words joined by single dashes, short enough for a queue name. */
export const isWorkloadName = (name: string): boolean => name.length <= MAX_QUEUE_NAME && WORKLOAD.test(name);

/** Whether `name` may name a lane: one lower-case word that is not reserved. */
export const isLaneName = (name: string): boolean =>
  LANE.test(name) && !(RESERVED_LANES as readonly string[]).includes(name);

/** Whether `name` may name a pool: a lower-case word of at most 20 characters, as it becomes part of resource names. */
export const isPoolName = (name: string): boolean => POOL.test(name);

/** Whether `id` is a batch id as `newBatchId` makes them. */
export const isBatchId = (id: string): boolean => UUID_V7.test(id);

/** Whether `id` may name a chunk: it becomes part of a blob name and of a row key. */
export const isChunkId = (id: string): boolean => CHUNK.test(id);

/** A fresh batch id: UUIDv7 (RFC 9562), so that ids sort by time and carry their date. */
export function newBatchId(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** When the batch id was made, in milliseconds since the epoch. */
export const batchTimeMs = (batch: string): number => Number.parseInt(batch.replace('-', '').slice(0, 12), 16);

/** The batch's date in UTC, `yyyy-mm-dd`, taken from its id: names built from it never depend on the clock. */
export const batchDate = (batch: string): string => new Date(batchTimeMs(batch)).toISOString().slice(0, 10);

/** One queue of a workload's lane, by its index from 0. */
export const queueName = (workload: string, lane: string, queueIndex: number): string =>
  `${workload}-${lane}-${queueIndex}`;

/** The queue that carries a workload's finished chunks to the collector. */
export const resultsQueueName = (workload: string): string => `${workload}-results`;

/** The queue that keeps messages which no consumer could read. */
export const poisonQueueName = (workload: string): string => `${workload}-poison`;

/** The maximum number of chunks of an upload or a redrive. Beyond it, the text order of their ids is not their order. */
export const MAX_CHUNKS = 1_000_000;

/** Chunk ids of an upload are zero-padded, so that their text order is the order of the items. */
export const chunkId = (position: number): string => String(position).padStart(6, '0');

/** Id of the chunk that holds `chunk`'s retries; fixed by the parent, so that a repeat names the same one. */
export function retryChunkId(chunk: string): string {
  const match = /^(.*)\.r(\d+)$/.exec(chunk);
  return match ? `${match[1]}.r${Number(match[2]) + 1}` : `${chunk}.r1`;
}

/** Id of part `part` (0-based) of a chunk that was split after it had killed its process. */
export const splitChunkId = (chunk: string, part: number): string => `${chunk}.s${String(part).padStart(2, '0')}`;

/** Id of the n-th chunk of a redrive that opened `revision`. */
export const redriveChunkId = (revision: number, position: number): string =>
  `v${String(revision).padStart(4, '0')}.${chunkId(position)}`;

/** The revision that a chunk ran in: 0 for those of the upload. Follow-ups are of their chunk's revision. */
export const revisionOf = (chunk: string): number => Number(/^v(\d+)\./.exec(chunk)?.[1] ?? 0);

/** The chunk of the upload or redrive that `chunk` is or follows from. Ids of follow-ups begin with that of their parent. */
export const firstChunkOf = (chunk: string): string => chunk.replace(/\.[rs]\d.*$/, '');

/** Where a chunk's outcome lies; a pure function of the reference, laid out so that tools read a day as a Hive partition. */
export const outcomeBlobName = (workload: string, batch: string, chunk: string): string =>
  `workload=${workload}/date=${batchDate(batch)}/batch=${batch}/${chunk}.ndjson.zst`;

/** Where a batch's report of one revision lies. */
export const reportBlobName = (batch: string, revision: number): string =>
  `${batch}/${String(revision).padStart(4, '0')}.ndjson.zst`;

/** Prefix, in container `payloads`, of the checkpoints of intakes under way. No batch id begins like it. */
export const CHECKPOINTS_PREFIX = 'checkpoints/';

/** Where the checkpoint of a batch's intake is stored until the batch is accepted. */
export const checkpointBlobName = (batch: string): string => `${CHECKPOINTS_PREFIX}${batch}`;

/** The containers and tables of the data account; `infra/` makes the same ones. */
export const CONTAINERS = {
  payloads: 'payloads',
  results: 'results',
  reports: 'reports',
  redrives: 'redrives',
  inbox: 'inbox',
  inboxDone: 'inbox-done',
  inboxRejected: 'inbox-rejected',
} as const;
export const TABLES = { batches: 'batches', gates: 'gates', keys: 'keys' } as const;
