import type { DatabaseSync } from 'node:sqlite';
import { command, query } from './database.ts';

/** An activity that is scheduled and whose result is not stored yet. */
export interface ActivityTask {
  sequence: number;
  instanceId: string;
  executionId: string;
  taskId: number;
  name: string;
  /** The trigger's data, as text. */
  input: string;
  dueAt: number;
}

/** The activity table. */
export type TaskTable = ReturnType<typeof createTaskTable>;

/** Creates the queue of activities that wait or run. */
export function createTaskTable(db: DatabaseSync) {
  const due = query<ActivityTask>(db, 'SELECT * FROM tasks WHERE dueAt <= ? ORDER BY sequence LIMIT ?');
  const bySequence = query<ActivityTask>(db, 'SELECT * FROM tasks WHERE sequence = ?');
  const next = query<{ dueAt: number | null }>(db, 'SELECT min(dueAt) AS dueAt FROM tasks WHERE dueAt > ?');
  const open = query<{ count: number }>(db, 'SELECT count(*) AS count FROM tasks WHERE instanceId = ?');
  const insert = command(
    db,
    'INSERT INTO tasks (instanceId, executionId, taskId, name, input, dueAt) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const remove = command(db, 'DELETE FROM tasks WHERE sequence = ?');
  const defer = command(db, 'UPDATE tasks SET dueAt = ? WHERE sequence = ?');
  const makeAllDue = command(db, 'UPDATE tasks SET dueAt = 0');
  return {
    add: (task: Omit<ActivityTask, 'sequence'>) =>
      insert(task.instanceId, task.executionId, task.taskId, task.name, task.input, task.dueAt),
    countOpen: (instanceId: string) => open.get(instanceId)?.count ?? 0,
    get: (sequence: number) => bySequence.get(sequence),
    due: (now: number, limit: number) => due.all(now, limit).map((task) => task.sequence),
    nextDueAt: (now: number) => next.get(now)?.dueAt ?? undefined,
    remove: (sequence: number) => remove(sequence) > 0,
    makeAllDue: () => makeAllDue(),
    defer: (sequence: number, dueAt: number) => defer(dueAt, sequence) > 0,
  };
}
