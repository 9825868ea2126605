/**
 * Records in the gate of a queue what serves the queue and no single batch, with the writes of the gate that are made
 * anyway. A write records itself and what is known to follow it. What could not be foreseen (a call that was repeated) is
 * kept by this process and recorded with its next write; a process that ends loses it.
 */
import { addOperations, type Operations, subtractOperations } from '../../contract/operations.ts';
import { addSpent, type DrainSpent, endDrain } from '../../cost/drain-spending.ts';
import type { Meter } from '../../cost/meter.ts';
import type { Table } from '../../storage/table.ts';
import { writeRow } from '../../storage/write-row.ts';
import type { GateRow } from './gate-row.ts';
import { toGateEntity } from './gate-row.ts';

/** What a write of the gate records, beside all that is done and not recorded. */
export interface SpendingWrite extends Partial<Pick<DrainSpent, 'chunks' | 'received'>> {
  /** The drain that it is for. */
  generation: number;
  /** The drain ends with it, and leaves the queue empty. */
  isDrained?: boolean;
  /** What follows the write, and is counted then. */
  after?: Operations;
  /** What no meter counts. */
  uncounted?: Operations;
}

/** What is spent for queues, by one process. */
export interface Spending {
  /**
   * Runs work for a queue; what it has not recorded at its end, or when it throws, is recorded later. `given` was spent
   * elsewhere for it, and is recorded with it, but not when it throws: its repeat brings the same again.
   */
  within: <T>(queue: string, work: () => Promise<T>, given?: Operations) => Promise<T>;
  /** Adds to what is recorded with the next write for the queue. */
  add: (queue: string, operations: Operations) => void;
  /** Whether something waits for the next write. */
  isLeft: (queue: string) => boolean;
  /** Writes a gate with what was spent, if nobody changed it since it was read. Only in `within` of its queue. */
  writeGate: (table: Table, gate: { row: GateRow; etag: string | undefined }, write: SpendingWrite) => Promise<boolean>;
}

/** Makes the spending of a process. */
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

/** Adds what the present `measure` has done, and nobody has recorded, to the drains of a queue: its batches pay for those. */
export function leaveTo(
  queue: string,
  { meter, spending }: { meter: Pick<Meter, 'record' | 'unrecorded'>; spending: Pick<Spending, 'add'> },
): void {
  const rest = meter.unrecorded();
  spending.add(queue, rest);
  meter.record(rest);
}
