/**
 * How many operations one batch needs, from the order of writes: intake, drain of the work queues, drain of the result
 * queue, finalize. With c chunks, p queues touched, t dequeue tasks on them, r rounds of at most 32 references and s
 * staged blocks, and nothing failing:
 *
 *   storage operations = 17 + s' + ceil(c / 98) + [c > 98] ceil(c / 1000) + 4 c + 6 p + 9 r + 7 t - 3 [t = 1]
 *
 * where s' = 1 for one block, else s + 1. A batch whose chunks take one round is collected by it, without a drain of the
 * result queue:
 *
 *   storage operations = 21 + s' + 3 c + 2 [c > 1]
 *
 * Each constant below is one line of that sum; docs/cost.md derives them. What the Durable extension does itself comes
 * on top, by the durable actions of `batchSpending`.
 */
import { addOperations, type Operations } from '../contract/operations.ts';
import { timesOperations } from './counts.ts';
import { executionOf, waveExecutions } from './executions.ts';

/** The shape of a batch and of the work on it. */
export interface BatchShape {
  items: number;
  /** Most items per chunk. */
  itemsPerChunk: number;
  /** Queues of its lane that the batch's references go to; default 1. */
  queues?: number;
  /** Compressed size of an item in the payload; default 12 (120-byte JSON records at the ratio 9.5 to 11.7 measured for zstd and gzip). */
  bytesPerItem?: number;
  /** Handler time of a chunk; default 0.1. */
  secondsPerChunk?: number;
}

/** What follows from the shape. */
export interface BatchPlan {
  chunks: number;
  blocks: number;
  queues: number;
  /** Dequeue tasks on the work queues. */
  tasks: number;
  /** Receives that brought references. */
  rounds: number;
  /** Whether the only round collects the batch. */
  isCollectedHere: boolean;
}

const BLOCK_BYTES = 4 * 1024 * 1024;
/** learn: rest/api/storageservices/get-messages. */
const MESSAGES_A_RECEIVE = 32;
/** learn: rest/api/storageservices/performing-entity-group-transactions: 100 operations; the batch row and a spare are in it. */
const ROWS_A_TRANSACTION = 98;
/** learn: rest/api/storageservices/query-timeout-and-pagination. */
const ROWS_A_QUERY_PAGE = 1_000;
const SLICE_SECONDS = 30;

/** Key row; `open` row; state `queued`, and the answer kept in the key row. */
const INTAKE: Operations = { 'table.insert': 1, 'table.update': 3 };

/** Reference put and deleted; outcome written. */
const CHUNK: Operations = { 'queue.put': 1, 'queue.delete': 1, 'blob.put': 1 };
/**
 * A partial aggregate read at the end of the batch. At most: a process does not read those that it has merged ahead, which
 * are all of a batch that one round collects.
 */
const PARTIAL: Operations = { 'blob.get': 1 };

/** An event sent and received; the gate read and changed. */
const WAKE: Operations = { 'servicebus.send': 1, 'servicebus.receive': 1, 'table.get': 1, 'table.update': 1 };

/** The depth that a drain is started with; of one chunk the wake says it. */
const START: Operations = { 'queue.properties': 1 };

/** Neighbouring frames are one read per round. */
const READ: Operations = { 'blob.get': 1 };

/**
 * Gate and batch row read, a heartbeat written; 4 empty gets: the delays 100, 300 and 700 ms follow the first three,
 * and after the fourth the delay would reach its maximum of a second, where a task ends.
 */
const TASK: Operations = { 'table.get': 2, 'table.update': 1, 'queue.get': 4 };
/** The only task of a wave makes one empty get, a second after its last receive. */
const ONLY_TASK: Operations = { ...TASK, 'queue.get': 1 };
/**
 * The one task on the result queue, without a batch row. It gets more than it was planned for, and makes 2 empty gets: half a
 * second and a second and a half after its last receive.
 */
const COLLECTOR: Operations = { 'table.get': 1, 'table.update': 1, 'queue.get': 2 };

/** A receive and its result message; the result message got, its rows read and changed in one transaction, and deleted. */
const ROUND: Operations = {
  'queue.get': 2,
  'queue.put': 1,
  'table.query': 1,
  'table.transaction': 1,
  'queue.delete': 1,
};

/** A receive whose chunks are collected at once: their rows changed in one transaction. */
const OWN_ROUND: Operations = { 'queue.get': 1, 'table.transaction': 1 };
/** The first chunk has its row read with that of the batch; if it is not alone, the rows of all are read to collect them. */
const OWN_ROWS: Record<'single' | 'several', Operations> = {
  single: { 'table.get': -1, 'table.query': 1 },
  several: { 'table.get': -1, 'table.query': 2 },
};

/** finish-wave: the gate read, the depth measured, the gate released; QueueEmpty published. */
const FINISH_WAVE: Operations = { 'table.get': 1, 'queue.properties': 1, 'table.update': 1, 'servicebus.send': 1 };

/** The report; then BatchCompleted, day row and announced; the `open` row removed. */
const FINALIZE: Operations = { 'blob.put': 1, 'table.update': 2, 'servicebus.send': 1, 'table.delete': 1 };
/** The final state, where the transaction that ends the last chunk has not all rows at hand. */
const FINISHED: Operations = { 'table.update': 1 };

/** The counts that drive the formula. A batch has at least one chunk. */
export function planOf(shape: BatchShape): BatchPlan {
  const { items, itemsPerChunk, queues = 1, bytesPerItem = 12, secondsPerChunk = 0.1 } = shape;
  const chunks = Math.max(1, Math.ceil(items / itemsPerChunk));
  const touched = Math.min(queues, chunks);
  const tasks = Math.max(touched, Math.ceil((chunks * secondsPerChunk) / SLICE_SECONDS));
  const rounds = Math.max(touched, Math.ceil(chunks / MESSAGES_A_RECEIVE));
  return {
    chunks,
    blocks: Math.max(1, Math.ceil((items * bytesPerItem) / BLOCK_BYTES)),
    queues: touched,
    ...{ tasks, rounds },
    isCollectedHere: tasks === 1 && rounds === 1,
  };
}

/** The operations of one batch that the meter would count. */
export function batchOperations(shape: BatchShape): Operations {
  const { chunks, blocks, queues, tasks, rounds, isCollectedHere } = planOf(shape);
  const bySize: Operations = {
    ...(blocks === 1 ? { 'blob.put': 1 } : { 'blob.stage': blocks, 'blob.commit': 1 }),
    'table.transaction': Math.ceil(chunks / ROWS_A_TRANSACTION),
    // The rows of a small batch are at hand when it ends.
    ...(chunks > ROWS_A_TRANSACTION ? { 'table.query': Math.ceil(chunks / ROWS_A_QUERY_PAGE) } : {}),
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

/** The waits for more work at the end of a task: 100, 300 and 700 ms, and the four empty gets. */
const TAIL_SECONDS = 1.2;
/** Of the only task of a wave, and of the one on the result queue, which waits half a second and a second. */
const ONLY_TASK_TAIL_SECONDS = 1;
const COLLECTOR_TAIL_SECONDS = 1.5;

/**
 * All that the receipt of such a batch has: its operations, its durable actions (for each drain 1 start, 2 per dequeue task
 * and 2 for finish-wave; 5 at least), and executions as they are billed on instances of the default memory. The task on
 * the result queue, if there is one, is taken for as long as one on a work queue: it collects while they work.
 */
export function batchSpending(shape: BatchShape): Operations {
  const { queues, tasks, rounds, chunks, isCollectedHere } = planOf(shape);
  const workSeconds = (chunks * (shape.secondsPerChunk ?? 0.1)) / tasks;
  const tailSeconds = tasks === 1 ? ONLY_TASK_TAIL_SECONDS : TAIL_SECONDS;
  const [collectors, wakes] = isCollectedHere ? [0, queues] : [1, queues + rounds];
  const drains = queues + collectors;
  // The upload, the wakes and the starts of drains take less than the least that is billed.
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
