/** Counts handler calls where the death of a thread or of a process loses none: in files, by one write(2) per call. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { threadId } from 'node:worker_threads';
import { callRecord } from './items.ts';

/** Where the files are, one per batch and thread; absent: nothing is counted. */
const { FAULT_CALLS_FOLDER } = process.env;
const record = Buffer.alloc(4);
let open: { batch: string; file: number } | undefined;

/** Notes that the handler was called. Returns when the kernel has it. */
export function countCall(batch: string, position: number, attempt: number): void {
  if (FAULT_CALLS_FOLDER === undefined) return;
  if (open?.batch !== batch) {
    if (open) closeSync(open.file);
    open = { batch, file: openSync(join(FAULT_CALLS_FOLDER, `${batch}.${process.pid}.${threadId}`), 'a') };
  }
  record.writeUInt32LE(callRecord(position, attempt));
  writeSync(open.file, record);
}
