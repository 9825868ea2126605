import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const CODE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const db = new DatabaseSync(workerData.file);
  db.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS held (value INTEGER); BEGIN IMMEDIATE; INSERT INTO held VALUES (1)');
  parentPort.postMessage('held');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.ms);
  db.exec('COMMIT');
  db.close();
`;

/** Holds a write transaction on a SQLite file for `ms` in another thread, since opening a file blocks this one. */
export async function holdDatabase(file: string, ms: number): Promise<void> {
  const worker = new Worker(CODE, { eval: true, workerData: { file, ms } });
  await once(worker, 'message');
}
