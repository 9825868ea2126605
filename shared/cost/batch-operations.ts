/**
 * Calculates the number of operations of one batch from the order of writes: intake, drain of the work queues, drain of
 * the result queue, finalization. With c chunks, p used queues, t dequeue tasks on them, r rounds of at most 32
 * references and s staged blocks, and without failures:
 *
 *   storage operations = 17 + s' + ceil(c / 98) + [c > 98] ceil(c / 1000) + 4 c + 6 p + 9 r + 7 t - 3 [t = 1]
 *
 * where s' = 1 for one block, otherwise s + 1. If the chunks of a batch take one round, that round collects the batch,
 * without a drain of the result queue:
 *
 *   storage operations = 21 + s' + 3 c + 2 [c > 1]
 *
 * Each constant below is one line of that sum; docs/cost.md derives them. The operations of the Durable extension are
 * additional; they follow from the durable actions of `batchSpending`.
 */
import { addOperations, type Operations } from '../contract/operations.ts';
import { executionOf, waveExecutions } from './executions.ts';
import { timesOperations } from './times-operations.ts';

/** The size of a batch and of its chunks. */
export interface BatchShape {
  items: number;
  /** Maximum number of items per chunk. */
  itemsPerChunk: number;
  /** Queues of the lane to which the batch's references are sent. Defaults to 1. */
  queues?: number;
  /**
   * Compressed size of an item in the payload. Defaults to 12 (120-byte JSON records at the ratio 9.5 to 11.7 measured
   * for zstd and gzip).
   */
  bytesPerItem?: number;
  /** Handler time of a chunk. Defaults to 0.1. */
  secondsPerChunk?: number;
}

/** The counts that follow from the shape. */
export interface BatchPlan {
  chunks: number;
  blocks: number;
  queues: number;
  /** Dequeue tasks on the work queues. */
  tasks: number;
  /** Receives that returned references. */
  rounds: number;
  /** Whether the only round collects the batch. */
  isCollectedHere: boolean;
}

const BLOCK_BYTES = 4 * 1024 * 1024;
/** Source: Microsoft Learn, rest/api/storageservices/get-messages. */
const MESSAGES_PER_RECEIVE = 32;
/**
 * The limit is 100 operations, two of which are the batch row and a spare. Source: learn.microsoft.com,
 * performing-entity-group-transactions.
 */
const ROWS_PER_TRANSACTION = 98;
/** Source: Microsoft Learn, rest/api/storageservices/query-timeout-and-pagination. */
const ROWS_PER_QUERY_PAGE = 1_000;
const SLICE_SECONDS = 30;

/** Key row; `open` row; state `queued`, and the response stored in the key row. */
const INTAKE: Operations = { 'table.insert': 1, 'table.update': 3 };

/** Reference put and deleted; outcome written. */
const CHUNK: Operations = { 'queue.put': 1, 'queue.delete': 1, 'blob.put': 1 };
/**
 * A partial aggregate is read at the end of the batch. An upper bound: a process does not read those that it has merged
 * ahead, which are all of them if one round collects the batch.
 */
const PARTIAL: Operations = { 'blob.get': 1 };

/** An event sent and received; the gate read and changed. */
const WAKE: Operations = { 'servicebus.send': 1, 'servicebus.receive': 1, 'table.get': 1, 'table.update': 1 };

/** The depth with which a drain is started; for a single chunk, the wake event contains it. */
const START: Operations = { 'queue.properties': 1 };

/** Consecutive frames are one read per round. */
const READ: Operations = { 'blob.get': 1 };

/**
 * Gate and batch row read, a heartbeat written, and 4 empty gets: the first three are followed by delays of 100, 300
 * and 700 ms; after the fourth, the delay would reach its maximum of one second, at which a task ends.
 */
const TASK: Operations = { 'table.get': 2, 'table.update': 1, 'queue.get': 4 };
/** The only task of a wave makes one empty get, one second after its last receive. */
const ONLY_TASK: Operations = { ...TASK, 'queue.get': 1 };
/**
 * The one task on the result queue, without a batch row. It receives more than was planned, and makes 2 empty gets, 0.5
 * s and 1.5 s after its last receive.
 */
const COLLECTOR: Operations = { 'table.get': 1, 'table.update': 1, 'queue.get': 2 };

/**
 * A receive and its result message; the result message is received, its rows are read and changed in one transaction,
 * and it is deleted.
 */
const ROUND: Operations = {
  'queue.get': 2,
  'queue.put': 1,
  'table.query': 1,
  'table.transaction': 1,
  'queue.delete': 1,
};

/** A receive whose chunks are collected by the same round: their rows are changed in one transaction. */
const OWN_ROUND: Operations = { 'queue.get': 1, 'table.transaction': 1 };
/**
 * The row of the first chunk is read together with that of the batch. If there are several chunks, the rows of all are
 * read to collect them.
 */
const OWN_ROWS: Record<'single' | 'several', Operations> = {
  single: { 'table.get': -1, 'table.query': 1 },
  several: { 'table.get': -1, 'table.query': 2 },
};

/** finish-wave: the gate read, the depth measured, the gate released; QueueEmpty published. */
const FINISH_WAVE: Operations = { 'table.get': 1, 'queue.properties': 1, 'table.update': 1, 'servicebus.send': 1 };

/** The report; then BatchCompleted, day row and announced; the `open` row removed. */
const FINALIZE: Operations = { 'blob.put': 1, 'table.update': 2, 'servicebus.send': 1, 'table.delete': 1 };
/** The final state, if the transaction that finishes the last chunk has not read all rows. */
const FINISHED: Operations = { 'table.update': 1 };

/** Returns the counts that the formula uses. A batch has at least one chunk. */
export function planOf(shape: BatchShape): BatchPlan {
  const { items, itemsPerChunk, queues = 1, bytesPerItem = 12, secondsPerChunk = 0.1 } = shape;
  const chunks = Math.max(1, Math.ceil(items / itemsPerChunk));
  const touched = Math.min(queues, chunks);
  const tasks = Math.max(touched, Math.ceil((chunks * secondsPerChunk) / SLICE_SECONDS));
  const rounds = Math.max(touched, Math.ceil(chunks / MESSAGES_PER_RECEIVE));
  return {
    chunks,
    blocks: Math.max(1, Math.ceil((items * bytesPerItem) / BLOCK_BYTES)),
    queues: touched,
    ...{ tasks, rounds },
    isCollectedHere: tasks === 1 && rounds === 1,
  };
}

/** Returns the operations of one batch that the meter would count. */
export function batchOperations(shape: BatchShape): Operations {
  const { chunks, blocks, queues, tasks, rounds, isCollectedHere } = planOf(shape);
  const bySize: Operations = {
    ...(blocks === 1 ? { 'blob.put': 1 } : { 'blob.stage': blocks, 'blob.commit': 1 }),
    'table.transaction': Math.ceil(chunks / ROWS_PER_TRANSACTION),
    // The rows of a small batch have been read when it ends.
    ...(chunks > ROWS_PER_TRANSACTION ? { 'table.query': Math.ceil(chunks / ROWS_PER_QUERY_PAGE) } : {}),
  };
  const own = [INTAKE, bySize, timesOperations(CHUNK, chunks), timesOperations(READ, rounds), FINALIZE];
  if (isCollectedHere) {
    const rows = OWN_ROWS[chunks === 1 ? 'single' : 'several'];
    return [...own, WAKE, chunks === 1 ? {} : START, ONLY_TASK, OWN_ROUND, rows, FINISH_WAVE].reduce(addOperations);
  }
  // Each round wakes the result queue; one task drains it.
  return [
    ...own,
    timesOperations(PARTIAL, chunks),
    timesOperations(WAKE, queues + rounds),
    timesOperations(START, queues + 1),
    timesOperations(tasks === 1 ? ONLY_TASK : TASK, tasks),
    COLLECTOR,
    timesOperations(ROUND, rounds),
    timesOperations(FINISH_WAVE, queues + 1),
    FINISHED,
  ].reduce(addOperations);
}

/** The waits for more work at the end of a task: 100, 300 and 700 ms, plus the four empty gets. */
const TAIL_SECONDS = 1.2;
/** For the only task of a wave, and for the task on the result queue, which waits 0.5 s and 1 s. */
const ONLY_TASK_TAIL_SECONDS = 1;
const COLLECTOR_TAIL_SECONDS = 1.5;

/**
 * Returns everything that the receipt of such a batch contains: its operations, its durable actions (per drain 1 start,
 * 2 per dequeue task and 2 for finish-wave; at least 5), and executions as they are billed on instances of the default
 * memory. If there is a task on the result queue, it is assumed to run as long as one on a work queue, because it
 * collects while they work.
 */
export function batchSpending(shape: BatchShape): Operations {
  const { queues, tasks, rounds, chunks, isCollectedHere } = planOf(shape);
  const workSeconds = (chunks * (shape.secondsPerChunk ?? 0.1)) / tasks;
  const tailSeconds = tasks === 1 ? ONLY_TASK_TAIL_SECONDS : TAIL_SECONDS;
  const [collectors, wakes] = isCollectedHere ? [0, queues] : [1, queues + rounds];
  const drains = queues + collectors;
  // The upload, the wakes and the starts of drains are shorter than the billed minimum.
  const short = 1 + wakes + drains;
  return [
    batchOperations(shape),
    timesOperations(executionOf(0), short),
    timesOperations(executionOf(workSeconds + tailSeconds), tasks),
    timesOperations(executionOf(workSeconds + COLLECTOR_TAIL_SECONDS), collectors),
    { 'durable.action': drains },
    waveExecutions(tasks),
    timesOperations(waveExecutions(1), collectors),
    // The ends of the waves on the other queues.
    timesOperations(waveExecutions(0), queues - 1),
  ].reduce(addOperations);
}
