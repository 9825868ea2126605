import type { DatabaseSync } from 'node:sqlite';
import type { HistoryEvent } from '../history/history.ts';
import { command, query } from './database.ts';

/** The history table. */
export type HistoryTable = ReturnType<typeof createHistoryTable>;

/** Creates the table of the events of each instance's current or last execution. */
export function createHistoryTable(db: DatabaseSync) {
  const texts = query<{ event: string }>(db, 'SELECT event FROM history WHERE instanceId = ? ORDER BY position');
  const length = query<{ count: number }>(db, 'SELECT count(*) AS count FROM history WHERE instanceId = ?');
  const insert = command(db, 'INSERT INTO history (instanceId, position, event) VALUES (?, ?, ?)');
  const clear = command(db, 'DELETE FROM history WHERE instanceId = ?');
  return {
    /** The stored events as JSON text, so that an episode can send them without serializing them again. */
    texts: (instanceId: string) => texts.all(instanceId).map((row) => row.event),
    append: (instanceId: string, events: readonly HistoryEvent[]) => {
      let position = length.get(instanceId)?.count ?? 0;
      // Stored events are in the past of every later episode. Therefore they count as played.
      for (const event of events) insert(instanceId, position++, JSON.stringify({ ...event, IsPlayed: true }));
    },
    clear: (instanceId: string) => clear(instanceId),
  };
}
