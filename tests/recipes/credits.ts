import { defineWorkload, Reject } from 'sluice';
import { z } from 'zod';
import { database } from './database.ts';

const credit = z.object({ account: z.string().min(1).max(64), cents: z.int() });
type Row = readonly [key: string, account: string, cents: number];

/** Writes rows in one statement. A key that is there already gets the same values again. */
const upsert = (rows: readonly Row[]) =>
  database().query(
    `INSERT INTO credits (key, account, cents) VALUES ${rows.map((_, i) => `($${3 * i + 1}, $${3 * i + 2}, $${3 * i + 3})`)}
     ON CONFLICT (key) DO UPDATE SET account = excluded.account, cents = excluded.cents`,
    rows.flat(),
  );

/** Whether the database refused the values (SQLSTATE classes 22 and 23), and not the connection or the moment. */
const isRefusal = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'code' in error && /^2[23]...$/.test(String(error.code));

export default defineWorkload({
  name: 'credits',
  version: 1,
  item: credit,
  mapChunk: async (credits, contexts) => {
    const rows = credits.map(({ account, cents }, i): Row => [contexts[i]?.idempotencyKey ?? '', account, cents]);
    try {
      await upsert(rows);
      return credits;
    } catch (error) {
      if (!isRefusal(error)) throw error; // the whole group is tried again
      return Promise.all(credits.map((one, i) => upsert(rows.slice(i, i + 1)).then(() => one, toOutput)));
    }
  },
  group: { maxItems: 100 },
  concurrency: 4,
  timeoutSeconds: 30,
});

const toOutput = (error: Error): Error => (isRefusal(error) ? new Reject(error.message, { cause: error }) : error);
