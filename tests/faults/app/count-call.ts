/** Counts handler calls, and when they begin, where the death of a thread or of a process loses none: in files, by one write(2) per call. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { threadId } from 'node:worker_threads';
import { CALL_BYTES, writeCall } from './items.ts';

/** Where the files are, one per batch and thread; absent: nothing is counted. */
const { FAULT_CALLS_FOLDER } = process.env;
const record = Buffer.alloc(CALL_BYTES);
const NS_PER_MS = 1_000_000n;
let open: { batch: string; file: number } | undefined;

/** Notes that the handler was called. Returns when the kernel has it. */
export function countCall(batch: string, position: number, attempt: number): void {
  if (FAULT_CALLS_FOLDER === undefined) return;
  if (open?.batch !== batch) {
    if (open) closeSync(open.file);
    open = { batch, file: openSync(join(FAULT_CALLS_FOLDER, `${batch}.${process.pid}.${threadId}`), 'a') };
  }
  // Of the machine: one for all processes, and not set ahead as their clocks are.
  const atMs = Number(process.hrtime.bigint() / NS_PER_MS);
  writeCall(record, { position, attempt, atMs });
  writeSync(open.file, record);
}
