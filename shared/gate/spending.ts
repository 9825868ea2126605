/**
 * Records in the gate of a queue the operations that serve the queue and no single batch. It uses writes of the gate
 * that are made anyway. A write records itself and the operations that are known to follow it. Unforeseen operations
 * (such as a repeated call) are kept by this process and recorded with its next write; they are lost if the process
 * ends before that.
 */
import { addOperations, type Operations, subtractOperations } from '../contract/operations.ts';
import { addSpent, type DrainSpent, endDrain } from '../cost/drains/drain-spending.ts';
import type { Meter } from '../cost/meter.ts';
import type { Table } from '../storage/table.ts';
import { writeRow } from '../storage/write-row.ts';
import type { GateRow } from './gate-row.ts';
import { toGateEntity } from './gate-row.ts';

/** What a write of the gate records, besides all operations that are not recorded yet. */
export interface SpendingWrite extends Partial<Pick<DrainSpent, 'chunks' | 'received'>> {
  /** The drain that is charged. */
  generation: number;
  /** Whether the drain ends with this write and leaves the queue empty. */
  isDrained?: boolean;
  /** Operations that follow the write. They are recorded in advance. */
  after?: Operations;
  /** Operations that no meter counts. */
  uncounted?: Operations;
}

/** The operations of one process that are charged to queues. */
export interface Spending {
  /**
   * Runs work for a queue. Operations that are not recorded when it ends or throws are recorded later. `given` was
   * spent elsewhere for this work and is recorded with it, but not if it throws: the repeated work brings the same
   * operations again.
   */
  within: <T>(queue: string, work: () => Promise<T>, given?: Operations) => Promise<T>;
  /** Adds operations to those that the next write for the queue records. */
  add: (queue: string, operations: Operations) => void;
  /** Whether operations wait for the next write. */
  isLeft: (queue: string) => boolean;
  /** Writes a gate with what was spent, if it is unchanged since it was read. Must be called in `within` of its queue. */
  writeGate: (table: Table, gate: { row: GateRow; etag: string | undefined }, write: SpendingWrite) => Promise<boolean>;
}

/** Creates the spending of a process. */
export function createSpending(meter: Pick<Meter, 'measure' | 'record' | 'unrecorded'>): Spending {
  const left = new Map<string, Operations>();
  const add = (queue: string, operations: Operations): void => {
    if (Object.keys(operations).length > 0) left.set(queue, addOperations(left.get(queue) ?? {}, operations));
  };
  const takeLeft = (queue: string): Operations => {
    const taken = left.get(queue) ?? {};
    left.delete(queue);
    return taken;
  };
  return {
    add,
    isLeft: (queue) => left.has(queue),
    within: async (queue, work, given = {}) => {
      const { value } = await meter.measure(async () => {
        meter.record(subtractOperations({}, addOperations(takeLeft(queue), given)));
        try {
          const result = await work();
          leaveTo(queue, { meter, spending: { add } });
          return result;
        } catch (error) {
          leaveTo(queue, { meter, spending: { add } });
          add(queue, subtractOperations({}, given));
          throw error;
        }
      });
      return value;
    },
    writeGate: async (table, { row, etag }, { generation, chunks = 0, received = false, ...write }) => {
      const { after = {}, uncounted = {}, isDrained = false } = write;
      const own = { [etag === undefined ? 'table.insert' : 'table.update']: 1 };
      const counted = [meter.unrecorded(), own, after].reduce(addOperations);
      const operations = addOperations(counted, uncounted);
      const added = addSpent(row.spent, { generation, chunks, received, operations });
      const spent = isDrained ? endDrain(added) : added;
      if ((await writeRow(table, toGateEntity({ ...row, spent }), etag)) === undefined) return false;
      meter.record(counted);
      return true;
    },
  };
}

/**
 * Charges the operations of the current `measure` that are not recorded yet to the drains of a queue: the batches of
 * the queue pay for those.
 */
export function leaveTo(
  queue: string,
  { meter, spending }: { meter: Pick<Meter, 'record' | 'unrecorded'>; spending: Pick<Spending, 'add'> },
): void {
  const rest = meter.unrecorded();
  spending.add(queue, rest);
  meter.record(rest);
}
