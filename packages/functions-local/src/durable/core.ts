import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { DurableConfig } from './config.ts';
import { AnswerLostError } from './errors.ts';
import { openDatabase, transaction } from './store/database.ts';
import { createHistoryTable, type HistoryTable } from './store/history-table.ts';
import { createInbox, type Inbox } from './store/inbox.ts';
import { createInstanceTable, type InstanceTable } from './store/instances.ts';
import { createTaskTable, type TaskTable } from './store/tasks.ts';
import type { DurableFunctionKind, EngineOptions } from './types.ts';

/** A change of state that a fault can be injected round. */
export type Operation =
  | 'startNew'
  | 'raiseEvent'
  | 'terminate'
  | 'suspend'
  | 'resume'
  | 'purge'
  | 'turn'
  | 'activity-completed';

/** What the parts of the backend share. */
export interface Core {
  options: EngineOptions;
  config: Readonly<DurableConfig>;
  instances: InstanceTable;
  history: HistoryTable;
  inbox: Inbox;
  tasks: TaskTable;
  /** Instances that versionFailureStrategy Reject leaves alone until the app's version changes. */
  left: Set<string>;
  now: () => number;
  newExecutionId: () => string;
  isRegistered: (name: string, kind: DurableFunctionKind) => boolean;
  transaction: <T>(work: () => T) => T;
  /** Runs `work` with the fault hook round it; throws AnswerLostError when the fault comes after. */
  change: <T>(operation: Operation, work: () => T) => Promise<T>;
  wakeInstance: (instanceId: string) => void;
  wakeActivities: () => void;
  isClosed: () => boolean;
  close: () => void;
}

/** What the core needs from the dispatchers, which are built after it. */
export type Wakers = Pick<Core, 'wakeInstance' | 'wakeActivities' | 'isRegistered'>;

/** Opens the store and builds what all parts share. */
export function openCore(options: EngineOptions, config: Readonly<DurableConfig>, wakers: Wakers): Core {
  const db = openDatabase(options.file);
  let closed = false;
  return {
    ...wakers,
    ...tables(db),
    options,
    config,
    left: new Set(),
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
    inbox: createInbox(db),
    tasks: createTaskTable(db),
  };
}

async function change<T>(options: EngineOptions, operation: Operation, work: () => T): Promise<T> {
  await options.fault?.(operation, 'before');
  const result = work();
  try {
    await options.fault?.(operation, 'after');
  } catch (cause: unknown) {
    throw new AnswerLostError(`${operation} is stored, its answer was lost by an injected fault`, { cause });
  }
  return result;
}
