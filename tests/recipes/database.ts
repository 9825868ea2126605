/** SQLite behind the one method of `pg` that the recipe calls, since this repository has no PostgreSQL to try it on. */
import { DatabaseSync } from 'node:sqlite';

let opened: DatabaseSync | undefined;

/** The database, made at its first use. */
export function sqlite(): DatabaseSync {
  if (opened === undefined) {
    opened = new DatabaseSync(':memory:');
    opened.exec(
      'CREATE TABLE credits (key TEXT PRIMARY KEY, account TEXT NOT NULL, cents INTEGER CHECK (cents < 1000))',
    );
  }
  return opened;
}

/** What `new Pool()` of `pg` gives. */
export const database = () => ({
  query: async (text: string, values: readonly (string | number)[]): Promise<{ rows: unknown[] }> => {
    const parameters = Object.fromEntries(values.map((value, i) => [`$${i + 1}`, value]));
    try {
      return { rows: sqlite().prepare(text).all(parameters) };
    } catch (error) {
      // PostgreSQL's code for a CHECK that was violated.
      throw /CHECK/.test(String(error)) ? Object.assign(error as Error, { code: '23514' }) : error;
    }
  },
});
