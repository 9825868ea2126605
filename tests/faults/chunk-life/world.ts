/** The whole state that the code of a chunk can change, as plain data. */
import {
  BATCH as BATCH_ROW,
  BATCH_ROW_KEY,
  type BatchRow,
  fromBatchEntity,
  toBatchEntity,
} from '../../../shared/batches/batch-row.ts';
import { type ChunkRow, fromChunkEntity, toChunkEntity } from '../../../shared/batches/chunk-row.ts';
import { digestOf, encodeFrameSync } from '../../../shared/contract/frame.ts';
import type { Reference } from '../../../shared/contract/reference.ts';
import type { Point } from '../explorer/programs.ts';
import { type Row, type Rows, tableEffect } from '../explorer/table-stub.ts';
import { ITEMS_QUEUE, RESULTS_QUEUE } from './handler.ts';
import { BATCH, type Role } from './programs.ts';

/** 2026-01-01T00:00:00Z */
export const NOW = 1_767_225_600_000;

export interface Message {
  id: string;
  text: string;
  deliveries: number;
  /** Changes with each receive and update; only the newest receipt can delete. */
  receipt: number;
  held: boolean;
}

export interface Blob {
  body: string;
  metadata: Readonly<Record<string, string>>;
}

export interface Actor {
  role: Role;
  point: Point;
  /** The message it holds. */
  holds?: string;
}

export interface Budget {
  /** A process dies at any point. */
  crash: number;
  /** A message is delivered again while its first holder still works. */
  redeliver: number;
  /** An answer is lost after its effect, and the SDK's own repeat encounters the effect. */
  echo: number;
  /** A run of a chunk that ends differently from the first one. */
  whim: number;
  /** References of pending rows are put again, at any time. */
  resend: number;
  cancel: number;
  /** A cancel that arrives while the batch is paused. */
  cancelPaused: number;
  /** An operator pauses the batch. */
  pause: number;
  /** A worker stops a run, because its batch was cancelled. */
  stop: number;
  /** A process is about to end, and returns its unfinished items. */
  leave: number;
  /** A chunk cannot begin before its slice is over, because all threads are busy. */
  busy: number;
  redrive: number;
  discard: number;
  /** At the end, to complete what an interrupted process left open. */
  sweep: number;
}

export interface World {
  rows: Rows;
  blobs: Readonly<Record<string, Blob>>;
  queues: Readonly<Record<string, readonly Message[]>>;
  /** Counts messages, for their ids. */
  put: number;
  announced: number;
  /** Number of dead letters published to subscribers, by message id. */
  announcedDead: Readonly<Record<string, number>>;
  actors: readonly Actor[];
  budget: Budget;
  /** No reference is delivered twice: then the results of a worker must be kept. */
  once: boolean;
  /** A worker has read the batch as paused; for a mutant that uses such a read later. */
  seenPaused?: boolean;
  broken?: string;
}

export interface Beginning {
  items: number;
  starts: number;
  /** Whether the workload has a halt rule. */
  halts: boolean;
  budget: Budget;
}

/** A batch of one chunk, accepted and in its queue. */
export function firstWorld({ items, starts, halts, budget }: Beginning): World {
  const text = Array.from({ length: items }, (_, index) => `${index}\n`).join('');
  const frame = encodeFrameSync(Buffer.from(text));
  const reference: Reference = {
    v: 1,
    workload: 'w',
    version: 1,
    batch: BATCH,
    chunk: '000000',
    kind: 'items',
    container: 'payloads',
    blob: 'p',
    offset: 0,
    length: frame.length,
    bytes: text.length,
    items,
    firstItem: 0,
    digest: digestOf(frame),
    enqueuedAt: new Date(NOW).toISOString(),
    ...(starts === 0 ? {} : { starts }),
  };
  const chunk: ChunkRow = { batch: BATCH, chunk: '000000', state: 'pending', items, reference };
  const rows = write([toBatchEntity(batchRow(items)), toChunkEntity(chunk), { partitionKey: 'open', rowKey: BATCH }]);
  const message = { id: 'm0', text: JSON.stringify(reference), deliveries: starts, receipt: 0, held: false };
  return {
    rows,
    blobs: { 'payloads/p': { body: frame.toString('base64'), metadata: {} } },
    queues: { [ITEMS_QUEUE]: [message], [RESULTS_QUEUE]: [] },
    put: 1,
    announced: 0,
    announcedDead: {},
    actors: [],
    budget,
    once: budget.crash + budget.redeliver + budget.resend + budget.pause === 0 && !halts,
  };
}

const write = (entities: Record<string, unknown>[]): Rows =>
  tableEffect({}, 'table.write', [entities.map((entity) => ['create', entity])])?.rows ?? {};

const batchRow = (accepted: number): BatchRow => ({
  ...BATCH_ROW.initial,
  id: BATCH,
  state: 'queued',
  workload: 'w',
  version: 1,
  lane: 'n',
  pool: 'default',
  sourceKind: 'http',
  sourceName: '',
  payload: 'p',
  digest: '',
  indexOffset: 0,
  indexLength: 0,
  payloadBytes: 0,
  storedBytes: 0,
  accepted,
  chunksTotal: 1,
  acceptedAt: new Date(NOW).toISOString(),
  revisionItems: accepted,
  openedAt: new Date(NOW).toISOString(),
  deadlineAt: new Date(NOW + 300_000).toISOString(),
});

/** The current batch row and chunk rows. */
export function ledgerOf(rows: Rows): { batch: BatchRow; chunks: ChunkRow[] } {
  const known = ledgers.get(rows);
  if (known) return known;
  const listed = tableEffect(rows, 'table.list', [`PartitionKey eq '${BATCH}'`]);
  const entities = (listed && 'value' in listed.answer ? listed.answer.value : []) as { rowKey: string }[];
  const batch = entities.find(({ rowKey }) => rowKey === BATCH_ROW_KEY);
  const chunks = entities.filter(({ rowKey }) => rowKey.startsWith('c.'));
  const ledger = {
    batch: fromBatchEntity(batch as never).row,
    chunks: chunks.map((entity) => fromChunkEntity(entity as never).row),
  };
  ledgers.set(rows, ledger);
  return ledger;
}
const ledgers = new WeakMap<Rows, ReturnType<typeof ledgerOf>>();

/** Equal for two worlds that differ only in the order of actors and in the ids of messages. */
export function keyOf({ rows, blobs, queues, put: _put, actors, announcedDead, ...rest }: World): string {
  const named = actors.map(({ point, ...actor }) => `${point.id} ${JSON.stringify(actor)}`).sort();
  const rowKeys = Object.keys(rows)
    .sort()
    .map((key) => [key, textOf(rows[key] as Row)]);
  const blobKeys = Object.keys(blobs)
    .sort()
    .map((key) => [key, textOf(blobs[key] as Blob)]);
  const dead = Object.entries(announcedDead).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([rest, dead, queues, named, rowKeys, blobKeys]);
}

/** Rows and blobs never change in place, so each is serialized once. */
function textOf(value: object): number {
  const known = texts.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value);
  const id = ids.get(text) ?? ids.size;
  ids.set(text, id);
  texts.set(value, id);
  return id;
}
const texts = new WeakMap<object, number>();
const ids = new Map<string, number>();

/** The world with one fault or request of this kind fewer left. */
export const spend = (world: World, kind: keyof Budget): World => ({
  ...world,
  budget: { ...world.budget, [kind]: world.budget[kind] - 1 },
});
