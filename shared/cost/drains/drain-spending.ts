/**
 * What the drains of a queue have spent beyond the work of single batches: one record per drain (generation of the queue's
 * gate). The spending of a drain without chunks (empty or parked) is added to a neighbour: to the previous drain if the
 * queue was empty, since a late wake started it; otherwise to the next one, which finishes what it could not. Pure.
 */
import { addOperations, type Operations } from '../../contract/operations.ts';

/** What one drain has spent. */
export interface DrainSpent {
  /** Generation of the gate that has finished the chunks, or will. */
  generation: number;
  /** Chunks that the drain has finished, of all batches. */
  chunks: number;
  /** Whether the drain has received any message. */
  received: boolean;
  operations: Operations;
}

/**
 * What one drain has spent, as the gate stores it: an array, because every receive reads the gate. `counts` are in the
 * order of `NAMES`; other operations follow by name.
 */
export type DrainRecord = readonly [
  generation: number,
  chunks: number,
  received: 0 | 1,
  counts: readonly number[],
  others?: Operations,
];

/** Append new names: records refer to names by position. */
const NAMES = [
  ...['table.get', 'table.update', 'table.insert', 'table.query', 'table.transaction', 'table.delete'],
  ...['queue.get', 'queue.put', 'queue.delete', 'queue.update', 'queue.properties', 'blob.get', 'blob.put'],
  ...['servicebus.send', 'servicebus.receive', 'durable.start', 'durable.status', 'durable.action'],
  ...['functions.execution', 'functions.gbSecond'],
] as const;
const KNOWN: ReadonlySet<string> = new Set(NAMES);

/**
 * Number of records that a gate keeps, of 60 to 100 characters each. If there are more, all but the last two are
 * archived in one row.
 */
export const MAX_DRAIN_RECORDS = 12;
/** The latest record may still grow. */
const KEPT = 2;

const rounded = (value: number): number => Number(value.toFixed(3));

function toRecord({ generation, chunks, received, operations }: DrainSpent): DrainRecord {
  const counts: number[] = NAMES.map((name) => rounded(operations[name] ?? 0));
  while (counts.at(-1) === 0) counts.pop();
  const others = Object.entries(operations).filter(([name, n]) => !KNOWN.has(name) && n !== 0);
  const known = [generation, chunks, received ? 1 : 0, counts] as const;
  return others.length === 0 ? known : [...known, Object.fromEntries(others)];
}

/** Reads a stored record. */
export function readDrainRecord([generation, chunks, received, counts, others = {}]: DrainRecord): DrainSpent {
  const operations: Operations = { ...others };
  for (const [place, n] of counts.entries()) {
    const name = NAMES[place];
    if (name !== undefined && n !== 0) operations[name] = n;
  }
  return { generation, chunks, received: received === 1, operations };
}

/**
 * Adds what the drain of a generation has spent. If the latest drain has no chunks, it becomes a part of the next one.
 */
export function addSpent(records: readonly DrainRecord[], spent: DrainSpent): DrainRecord[] {
  const stored = records.at(-1);
  const last = stored && readDrainRecord(stored);
  const isNew = last === undefined || (last.generation !== spent.generation && last.chunks > 0);
  return isNew
    ? [...records, toRecord(spent)]
    : [...records.slice(0, -1), toRecord({ ...sumOf(last, spent), generation: spent.generation })];
}

const sumOf = (a: DrainSpent, b: DrainSpent): DrainSpent => ({
  generation: a.generation,
  chunks: a.chunks + b.chunks,
  received: a.received || b.received,
  operations: addOperations(a.operations, b.operations),
});

/**
 * Call it at the end of a drain that has left the queue empty. If the drain has received nothing, its spending is added
 * to the previous drain.
 */
export function endDrain(records: readonly DrainRecord[]): readonly DrainRecord[] {
  const [before, last] = records.slice(-2).map(readDrainRecord);
  if (before === undefined || last === undefined || last.chunks > 0 || last.received) return records;
  return [...records.slice(0, -2), toRecord(sumOf(before, last))];
}

/** Splits the records into those that the gate must archive, if there are too many, and those that it keeps. */
export function splitRecords(records: readonly DrainRecord[]): { old: DrainRecord[]; kept: DrainRecord[] } {
  const first = records.length > MAX_DRAIN_RECORDS ? records.length - KEPT : 0;
  return { old: records.slice(0, first), kept: records.slice(first) };
}
