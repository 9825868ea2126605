import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { DurableConfig } from './config.ts';
import { AnswerLostError } from './errors.ts';
import { type ControlQueue, createControlQueue } from './store/control-queue.ts';
import { openDatabase, transaction } from './store/database.ts';
import { createHistoryTable, type HistoryTable } from './store/history-table.ts';
import { createInstanceTable, type InstanceTable } from './store/instances.ts';
import { createTaskTable, type TaskTable } from './store/tasks.ts';
import type { DurableFunctionKind, EngineOptions } from './types.ts';

/** A change of state around which a fault can be injected. */
export type Operation =
  | 'startNew'
  | 'raiseEvent'
  | 'terminate'
  | 'suspend'
  | 'resume'
  | 'purge'
  | 'episode'
  | 'activity-completed';

/** The parts of the backend and what they share. */
export interface Core {
  options: EngineOptions;
  config: Readonly<DurableConfig>;
  instances: InstanceTable;
  history: HistoryTable;
  controlQueue: ControlQueue;
  tasks: TaskTable;
  /** Instances whose version the app rejected (versionFailureStrategy Reject). Cleared by a restart. */
  rejected: Set<string>;
  now: () => number;
  newExecutionId: () => string;
  isRegistered: (name: string, kind: DurableFunctionKind) => boolean;
  transaction: <T>(work: () => T) => T;
  /** Runs `work` with the fault hook before and after it. Throws AnswerLostError if the hook fails after it. */
  change: <T>(operation: Operation, work: () => T) => Promise<T>;
  wakeInstance: (instanceId: string) => void;
  wakeActivities: () => void;
  isClosed: () => boolean;
  close: () => void;
}

/** The functions that the core needs from the dispatchers, which are built after it. */
export type Wakers = Pick<Core, 'wakeInstance' | 'wakeActivities' | 'isRegistered'>;

/** Opens the store and builds the parts of the backend. */
export function openCore(options: EngineOptions, config: Readonly<DurableConfig>, wakers: Wakers): Core {
  const db = openDatabase(options.file);
  let closed = false;
  return {
    ...wakers,
    ...tables(db),
    options,
    config,
    rejected: new Set(),
    now: Date.now,
    newExecutionId: () => randomUUID().replaceAll('-', ''),
    transaction: (work) => transaction(db, work),
    change: (operation, work) => change(options, operation, work),
    isClosed: () => closed,
    close: () => {
      closed = true;
      db.close();
    },
  };
}

function tables(db: DatabaseSync) {
  return {
    instances: createInstanceTable(db),
    history: createHistoryTable(db),
    controlQueue: createControlQueue(db),
    tasks: createTaskTable(db),
  };
}

async function change<T>(options: EngineOptions, operation: Operation, work: () => T): Promise<T> {
  await options.fault?.(operation, 'before');
  const result = work();
  try {
    await options.fault?.(operation, 'after');
  } catch (cause: unknown) {
    throw new AnswerLostError(`${operation}: the change is stored, but an injected fault dropped its answer`, {
      cause,
    });
  }
  return result;
}
