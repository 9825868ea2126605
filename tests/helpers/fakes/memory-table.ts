import type { Table } from '../../../shared/storage/table.ts';
import { type Rows, tableEffect, tableOf } from '../../faults/explorer/table-stub.ts';

/** A table in memory, with access to its content. */
export interface MemoryTable {
  table: Table;
  /** Columns of a row, or undefined. */
  row: (partitionKey: string, rowKey: string) => Readonly<Record<string, unknown>> | undefined;
  /** Runs before each call, with its name. Its changes are visible to the call. */
  before: (hook: (name: string) => Promise<void>) => void;
}

/** Creates an empty table with the ETag semantics of the service. */
export function memoryTable(): MemoryTable {
  let rows: Rows = {};
  let hook: (name: string) => Promise<void> = async () => {};
  const ask = async (name: string, ...args: unknown[]): Promise<unknown> => {
    await hook(name);
    const effect = tableEffect(rows, name, structuredClone(args));
    if (!effect) throw new Error(`The table knows no "${name}".`);
    rows = effect.rows;
    if ('status' in effect.answer) {
      throw Object.assign(new Error(`status ${effect.answer.status}`), { statusCode: effect.answer.status });
    }
    return structuredClone(effect.answer.value);
  };
  return {
    table: tableOf({ ask }),
    row: (partitionKey, rowKey) => rows[`${partitionKey}|${rowKey}`]?.columns,
    before: (next) => {
      hook = next;
    },
  };
}
