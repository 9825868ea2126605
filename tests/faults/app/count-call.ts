/**
 * Counts handler calls, and when they begin, in files, with one write(2) per call. So the death of a thread or of a
 * process loses none.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { threadId } from 'node:worker_threads';
import { CALL_BYTES, writeCall } from './items.ts';

/** Folder of the files, which are one per batch and thread; if absent, nothing is counted. */
const { FAULT_CALLS_FOLDER } = process.env;
const record = Buffer.alloc(CALL_BYTES);
const NS_PER_MS = 1_000_000n;
let open: { batch: string; file: number } | undefined;

/** Records that the handler was called. Returns when the kernel has the record. */
export function countCall(batch: string, position: number, attempt: number): void {
  if (FAULT_CALLS_FOLDER === undefined) return;
  if (open?.batch !== batch) {
    if (open) closeSync(open.file);
    open = { batch, file: openSync(join(FAULT_CALLS_FOLDER, `${batch}.${process.pid}.${threadId}`), 'a') };
  }
  // Clock of the machine: the same for all processes, and unlike their own clocks it is not set forward.
  const atMs = Number(process.hrtime.bigint() / NS_PER_MS);
  writeCall(record, { position, attempt, atMs });
  writeSync(open.file, record);
}
