/** Names that come from outside or go there (routes, queues, paths, filters). All are validated here before they are used. */
import { randomBytes } from 'node:crypto';

/** Maximum length of a queue name in Azure Queue Storage. Source: Microsoft Learn, naming queues and metadata. */
export const MAX_QUEUE_NAME = 63;

const WORKLOAD = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const LANE = /^[a-z][a-z0-9]*$/;
const POOL = /^[a-z][a-z0-9]{0,19}$/;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const CHUNK = /^[a-z0-9][a-z0-9.]{0,200}$/;

/** Reserved lanes: the queues of finished chunks, and of messages that no consumer can read. */
const RESERVED_LANES = ['results', 'poison'] as const;

/** Whether `name` is a valid workload name: lower-case words joined by single dashes, short enough for a queue name. */
export const isWorkloadName = (name: string): boolean => name.length <= MAX_QUEUE_NAME && WORKLOAD.test(name);

/** Whether `name` is a valid lane name: one lower-case word that is not reserved. */
export const isLaneName = (name: string): boolean =>
  LANE.test(name) && !(RESERVED_LANES as readonly string[]).includes(name);

/**
 * Whether `name` is a valid pool name: a lower-case word of at most 20 characters, because it becomes part of resource names.
 */
export const isPoolName = (name: string): boolean => POOL.test(name);

/** Whether `id` has the form of a batch id (`newBatchId`). */
export const isBatchId = (id: string): boolean => UUID_V7.test(id);

/** Whether `id` is a valid chunk id. It becomes part of a blob name and of a row key. */
export const isChunkId = (id: string): boolean => CHUNK.test(id);

/** Creates a batch id: UUIDv7 (RFC 9562), so that ids sort by time and contain their date. */
export function newBatchId(nowMs: number): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The creation time of a batch id, in milliseconds since the epoch. */
export const batchTimeMs = (batch: string): number => Number.parseInt(batch.replace('-', '').slice(0, 12), 16);

/** The date of a batch in UTC, `yyyy-mm-dd`, from its id: names that contain it never depend on the clock. */
export const batchDate = (batch: string): string => new Date(batchTimeMs(batch)).toISOString().slice(0, 10);

/** Name of the queue with this index (from 0) of a workload's lane. */
export const queueName = (workload: string, lane: string, queueIndex: number): string =>
  `${workload}-${lane}-${queueIndex}`;

/** Name of the queue that carries the finished chunks of a workload to the collector. */
export const resultsQueueName = (workload: string): string => `${workload}-results`;

/** Name of the queue that keeps messages which no consumer could read. */
export const poisonQueueName = (workload: string): string => `${workload}-poison`;

/** The maximum number of chunks of an upload or a redrive. Beyond it, the text order of their ids is not their order. */
export const MAX_CHUNKS = 1_000_000;

/** Chunk ids of an upload are zero-padded, so that they sort in the order of the items. */
export const chunkId = (position: number): string => String(position).padStart(6, '0');

/**
 * Id of the chunk that holds the retries of `chunk`. It depends on the parent only, so that a repetition yields the same id.
 */
export function retryChunkId(chunk: string): string {
  const match = /^(.*)\.r(\d+)$/.exec(chunk);
  return match ? `${match[1]}.r${Number(match[2]) + 1}` : `${chunk}.r1`;
}

/** Id of part `part` (0-based) of a chunk that was split because it had killed its process. */
export const splitChunkId = (chunk: string, part: number): string => `${chunk}.s${String(part).padStart(2, '0')}`;

/** Id of the n-th chunk of the redrive that opened `revision`. */
export const redriveChunkId = (revision: number, position: number): string =>
  `v${String(revision).padStart(4, '0')}.${chunkId(position)}`;

/** The revision of a chunk: 0 for the upload. Follow-up chunks belong to the revision of their parent. */
export const revisionOf = (chunk: string): number => Number(/^v(\d+)\./.exec(chunk)?.[1] ?? 0);

/**
 * The chunk of the upload or redrive from which `chunk` follows, or `chunk` itself. The id of a follow-up begins with its
 * parent's id.
 */
export const firstChunkOf = (chunk: string): string => chunk.replace(/\.[rs]\d.*$/, '');

/** Name of the blob with a chunk's outcome, a pure function of the reference. Tools can read a day as a Hive partition. */
export const outcomeBlobName = (workload: string, batch: string, chunk: string): string =>
  `workload=${workload}/date=${batchDate(batch)}/batch=${batch}/${chunk}.ndjson.zst`;

/** Name of the blob with the report of one revision of a batch. */
export const reportBlobName = (batch: string, revision: number): string =>
  `${batch}/${String(revision).padStart(4, '0')}.ndjson.zst`;

/** Prefix, in container `payloads`, of the checkpoints of running intakes. No batch id begins with it. */
export const CHECKPOINTS_PREFIX = 'checkpoints/';

/** Name of the blob with the checkpoint of a batch's intake, until the batch is accepted. */
export const checkpointBlobName = (batch: string): string => `${CHECKPOINTS_PREFIX}${batch}`;

/** The containers and tables of the data account. `infra/` creates the same ones. */
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
