/**
 * Calculates the operations of one batch from the order of writes: those for it alone (intake, rows and blobs of its
 * chunks, end), which its row counts when it runs, and those of its drains, of which a receipt contains this estimate
 * because drains serve several batches. With c chunks, p used queues, t dequeue tasks on them, r rounds of at most 32
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
import { addOperations, type Operations, timesOperations } from '../contract/operations.ts';
import { MAX_RECEIVE } from '../contract/queue-limits.ts';
import { gbSecondsOf } from './price.ts';

export interface BatchShape {
  items: number;
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

const BLOCK_BYTES = 4 * 1024 * 1024;
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

/** Reference put; outcome written. */
const CHUNK: Operations = { 'queue.put': 1, 'blob.put': 1 };
/**
 * A partial aggregate is read at the end of the batch. An upper bound: a process does not read those that it has merged
 * ahead, which are all of them if one round collects the batch.
 */
const PARTIAL: Operations = { 'blob.get': 1 };
/** A queue to which references were sent: its wake event. */
const WAKE_SENT: Operations = { 'servicebus.send': 1 };
/** Consecutive frames are one read per round. */
const READ: Operations = { 'blob.get': 1 };
/** A task reads the row of the batch once. */
const TASK: Operations = { 'table.get': 1 };
/** The rows of the chunks of a result message are read, and changed in one transaction. */
const ROUND: Operations = { 'table.query': 1, 'table.transaction': 1 };
/** The rows of chunks that the same round collects are changed in one transaction. */
const OWN_ROUND: Operations = { 'table.transaction': 1 };
/**
 * The row of the first chunk is read together with that of the batch. If there are several chunks, the rows of all are
 * read to collect them.
 */
const OWN_ROWS: Record<'single' | 'several', Operations> = {
  single: { 'table.query': 1 },
  several: { 'table.query': 2 },
};

/** The report; then BatchCompleted, day row and announced; the `open` row removed. */
const FINALIZE: Operations = { 'blob.put': 1, 'table.update': 2, 'servicebus.send': 1, 'table.delete': 1 };
/** The final state, if the transaction that finishes the last chunk has not read all rows. */
const FINISHED: Operations = { 'table.update': 1 };

/** A wake: its event is received, the gate read and changed. */
const WAKE: Operations = { 'servicebus.receive': 1, 'table.get': 1, 'table.update': 1 };
/** The depth with which a drain is started; for a single chunk, the wake event contains it. */
const START: Operations = { 'queue.properties': 1 };
/**
 * Gate read, a heartbeat written, and 4 empty gets: the first three are followed by delays of 100, 300 and 700 ms; after
 * the fourth, the delay would reach its maximum of one second, at which a task ends.
 */
const DRAIN_TASK: Operations = { 'table.get': 1, 'table.update': 1, 'queue.get': 4 };
/** The only task of a wave makes one empty get, one second after its last receive. */
const ONLY_DRAIN_TASK: Operations = { ...DRAIN_TASK, 'queue.get': 1 };
/** The one task on the result queue receives more than was planned, and makes 2 empty gets, 0.5 s and 1.5 s after its last receive. */
const COLLECTOR: Operations = { ...DRAIN_TASK, 'queue.get': 2 };
/** A receive; its result message put, received and deleted; and the wake event of the result queue. */
const DRAIN_ROUND: Operations = { 'queue.get': 2, 'queue.put': 1, 'queue.delete': 1, 'servicebus.send': 1 };
/** A receive whose chunks are collected by the same round. */
const OWN_DRAIN_ROUND: Operations = { 'queue.get': 1 };
/** The reference of a chunk deleted. */
const DELETED: Operations = { 'queue.delete': 1 };
/** finish-wave: the gate read, the depth measured, the gate released; QueueEmpty published. */
const FINISH_WAVE: Operations = { 'table.get': 1, 'queue.properties': 1, 'table.update': 1, 'servicebus.send': 1 };

/** Returns the counts that the formula uses. A batch has at least one chunk. */
export function planOf(shape: BatchShape) {
  const { items, itemsPerChunk, queues = 1, bytesPerItem = 12, secondsPerChunk = 0.1 } = shape;
  const chunks = Math.max(1, Math.ceil(items / itemsPerChunk));
  const blocks = Math.max(1, Math.ceil((items * bytesPerItem) / BLOCK_BYTES));
  const seconds = chunks * secondsPerChunk;
  return { blocks, seconds, ...drainsOf({ chunks, queues, seconds }) };
}

/** The work of the drains of a batch: its chunks, its queues, and the handler time of all chunks. */
export interface DrainShape {
  chunks: number;
  queues: number;
  seconds: number;
}

/** `isCollectedHere`: whether the only round collects the batch. */
function drainsOf({ chunks, queues, seconds }: DrainShape) {
  const touched = Math.min(queues, chunks);
  const tasks = Math.max(touched, Math.ceil(seconds / SLICE_SECONDS));
  const rounds = Math.max(touched, Math.ceil(chunks / MAX_RECEIVE));
  return { chunks, tasks, rounds, queues: touched, isCollectedHere: tasks === 1 && rounds === 1 };
}

/** Returns the operations for one batch alone, as its row counts them. */
export function operationsOutsideDrains(shape: BatchShape): Operations {
  const { chunks, blocks, queues, tasks, rounds, isCollectedHere } = planOf(shape);
  const bySize: Operations = {
    ...(blocks === 1 ? { 'blob.put': 1 } : { 'blob.stage': blocks, 'blob.commit': 1 }),
    'table.transaction': Math.ceil(chunks / ROWS_PER_TRANSACTION),
    // The rows of a small batch have been read when it ends.
    ...(chunks > ROWS_PER_TRANSACTION ? { 'table.query': Math.ceil(chunks / ROWS_PER_QUERY_PAGE) } : {}),
  };
  return [
    ...[INTAKE, bySize, timesOperations(CHUNK, chunks), timesOperations(WAKE_SENT, queues)],
    ...[timesOperations(READ, rounds), FINALIZE],
    ...(isCollectedHere
      ? [OWN_ROUND, OWN_ROWS[chunks === 1 ? 'single' : 'several']]
      : [timesOperations(TASK, tasks), timesOperations(ROUND, rounds), timesOperations(PARTIAL, chunks), FINISHED]),
  ].reduce(addOperations);
}

/**
 * Returns one execution of `seconds` as it is billed. An upper bound: executions that run at the same time on an
 * instance share its GB-seconds.
 */
const executionOf = (seconds: number): Operations => ({
  'functions.execution': 1,
  'functions.gbSecond': gbSecondsOf(seconds),
});

/** Shorter than the billed minimum: uploads, wakes, starts, episodes, finish-wave. */
const SHORT = executionOf(0);

/**
 * Returns the executions at the end of a wave of `tasks` tasks, whose own executions are counted apart: two actions per
 * activity, finish-wave itself, and an episode of the orchestrator after each activity (fewer if several end at the same
 * time).
 */
const waveExecutions = (tasks: number): Operations => ({
  'durable.action': 2 * (tasks + 1),
  ...timesOperations(SHORT, tasks + 2),
});

/** The waits for more work at the end of a task: 100, 300 and 700 ms, plus the four empty gets. */
const TAIL_SECONDS = 1.2;
/** For the only task of a wave, and for the task on the result queue, which waits 0.5 s and 1 s. */
const ONLY_TASK_TAIL_SECONDS = 1;
const COLLECTOR_TAIL_SECONDS = 1.5;

/**
 * Returns what the drains of a batch spend if it runs alone and in one go: operations, durable actions (per drain 1
 * start, 2 per dequeue task and 2 for finish-wave; at least 5), and executions as they are billed on instances of the
 * default memory, with that of the upload. If there is a task on the result queue, it is assumed to run as long as one on
 * a work queue, because it collects while they work.
 */
export function drainOperations(shape: DrainShape): Operations {
  const { chunks, queues, tasks, rounds, isCollectedHere } = drainsOf({ ...shape, chunks: Math.max(1, shape.chunks) });
  const workSeconds = shape.seconds / tasks;
  const tailSeconds = tasks === 1 ? ONLY_TASK_TAIL_SECONDS : TAIL_SECONDS;
  const [collectors, wakes] = isCollectedHere ? [0, queues] : [1, queues + rounds];
  const drains = queues + collectors;
  return [
    timesOperations(WAKE, wakes),
    timesOperations(START, isCollectedHere && chunks === 1 ? 0 : drains),
    timesOperations(tasks === 1 ? ONLY_DRAIN_TASK : DRAIN_TASK, tasks),
    timesOperations(COLLECTOR, collectors),
    timesOperations(isCollectedHere ? OWN_DRAIN_ROUND : DRAIN_ROUND, rounds),
    timesOperations(DELETED, chunks),
    timesOperations(FINISH_WAVE, drains),
    timesOperations(SHORT, 1 + wakes + drains),
    timesOperations(executionOf(workSeconds + tailSeconds), tasks),
    timesOperations(executionOf(workSeconds + COLLECTOR_TAIL_SECONDS), collectors),
    { 'durable.action': drains },
    waveExecutions(tasks),
    timesOperations(waveExecutions(1), collectors),
    // The ends of the waves on the other queues.
    timesOperations(waveExecutions(0), queues - 1),
  ].reduce(addOperations);
}

/** Returns everything that the receipt of such a batch contains. */
export function batchSpending(shape: BatchShape): Operations {
  return addOperations(operationsOutsideDrains(shape), drainOperations(planOf(shape)));
}
