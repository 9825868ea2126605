import type { DatabaseSync } from 'node:sqlite';
import type { HistoryEvent } from '../history/history.ts';
import { command, query } from './database.ts';

/** 'control' messages (suspend, resume, terminate) are processed even while the instance is suspended. */
export type MessageKind = 'start' | 'control' | 'work';

/** A stored message. */
export interface Message {
  sequence: number;
  instanceId: string;
  executionId: string | null;
  kind: MessageKind;
  dueAt: number;
  /** JSON of a HistoryEvent. */
  event: string;
}

/** A message to send. */
export interface NewMessage {
  instanceId: string;
  /** The execution that it is for; a later execution drops it. If absent, it is for any execution. */
  executionId?: string;
  kind: MessageKind;
  dueAt: number;
  event: HistoryEvent;
}

/** The queue of messages for orchestrations. */
export type ControlQueue = ReturnType<typeof createControlQueue>;

// A 'start' message is the first of its episode, even if other messages arrived before it.
const dueSql = `SELECT * FROM inbox WHERE instanceId = ? AND dueAt <= ? ORDER BY kind = 'start' DESC, dueAt, sequence`;

const readySql = `SELECT inbox.instanceId AS id, min(inbox.dueAt) AS dueAt FROM inbox
  LEFT JOIN instances ON instances.id = inbox.instanceId
  WHERE inbox.dueAt <= ? AND (instances.status IS NOT 'Suspended' OR inbox.kind = 'control')
  GROUP BY inbox.instanceId ORDER BY 2 LIMIT ?`;

/** Creates the queue of messages for orchestrations. A timer is a message with a later due time. */
export function createControlQueue(db: DatabaseSync) {
  const due = query<Message>(db, dueSql);
  const ready = query<{ id: string }>(db, readySql);
  const next = query<{ dueAt: number | null }>(db, 'SELECT min(dueAt) AS dueAt FROM inbox WHERE dueAt > ?');
  const insert = command(db, 'INSERT INTO inbox (instanceId, executionId, kind, dueAt, event) VALUES (?, ?, ?, ?, ?)');
  const remove = command(db, 'DELETE FROM inbox WHERE sequence = ?');
  const removeAll = command(db, 'DELETE FROM inbox WHERE instanceId = ?');
  const removeExecution = command(db, 'DELETE FROM inbox WHERE instanceId = ? AND executionId = ?');
  return {
    send: (message: NewMessage) =>
      insert(
        ...[message.instanceId, message.executionId ?? null, message.kind],
        ...[message.dueAt, JSON.stringify(message.event)],
      ),
    due: (instanceId: string, now: number) => due.all(instanceId, now),
    ready: (now: number, limit: number) => ready.all(now, limit).map((row) => row.id),
    nextDueAt: (now: number) => next.get(now)?.dueAt ?? undefined,
    remove: (messages: readonly Message[]) => {
      for (const message of messages) remove(message.sequence);
    },
    removeAll: (instanceId: string) => removeAll(instanceId),
    removeExecution: (instanceId: string, executionId: string) => removeExecution(instanceId, executionId),
  };
}
