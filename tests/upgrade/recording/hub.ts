/**
 * The state of the durable task hub. On Azure it is part of the storage account, and a deployment leaves it as it is; the
 * local hub has a file of its own, whose tables are recorded. If a later local hub cannot read them, remove
 * `task-hub.json`: then the sweep starts the drains again, as after a loss of the hub.
 */
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

type Cell = string | number | null;
/** The schema of the file, and its rows. Texts that are JSON objects are stored as objects, so that a reader sees no escapes. */
export interface RecordedHub {
  schemaVersion: number;
  schema: string[];
  rows: Record<string, Record<string, unknown>[]>;
}

/** Reads all rows of a task hub that is not running. */
export function exportHub(file: string): RecordedHub {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    const all = (sql: string) => db.prepare(sql).all() as Record<string, Cell>[];
    const schemaVersion = Number(all('PRAGMA user_version')[0]?.user_version);
    const created = all("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL AND name NOT LIKE 'sqlite_%'");
    const tables = all(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    );
    const rows = tables.map(({ name }) => [name, all(`SELECT * FROM "${name}" ORDER BY 1, 2`).map(toRecorded)]);
    return { schemaVersion, schema: created.map(({ sql }) => String(sql)), rows: Object.fromEntries(rows) };
  } finally {
    db.close();
  }
}

/** Writes the file of a task hub that is not running yet. */
export function loadHub(file: string, { schemaVersion, schema, rows }: RecordedHub): void {
  mkdirSync(dirname(file), { recursive: true });
  const db = new DatabaseSync(file);
  try {
    for (const sql of schema) db.exec(sql);
    for (const [table, recorded] of Object.entries(rows))
      for (const row of recorded.map(fromRecorded)) {
        const columns = Object.keys(row);
        const sql = `INSERT INTO "${table}" (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
        db.prepare(sql).run(...Object.values(row));
      }
    db.exec(`PRAGMA user_version = ${schemaVersion}`);
  } finally {
    db.close();
  }
}

const toRecorded = (row: Record<string, Cell>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([column, cell]) => [
      column,
      typeof cell === 'string' && cell.startsWith('{') ? JSON.parse(cell) : cell,
    ]),
  );

const fromRecorded = (row: Record<string, unknown>): Record<string, Cell> =>
  Object.fromEntries(
    Object.entries(row).map(([column, cell]) => [
      column,
      typeof cell === 'object' && cell !== null ? JSON.stringify(cell) : (cell as Cell),
    ]),
  );
