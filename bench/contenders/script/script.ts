/**
 * The plain script: reads the upload, handles each line once, merges, and stores nothing. With one worker thread per
 * core it is the upper limit, from the compressed upload to the report without any durability. Without worker threads,
 * one thread does everything.
 */
import { handleLines, mergeTotals, reportLines, type Totals } from '../handle.ts';
import { readBlocks } from './read-blocks.ts';
import { ScriptThreads } from './script-threads.ts';

/** The number of items and the lines of the report. */
export interface ScriptResult {
  items: number;
  report: string[];
}

let workers: ScriptThreads | undefined;

/** Processes a zstd file of NDJSON to its report with `threads` worker threads; 0 means only the main thread. */
export async function runScript(file: string, threads: number): Promise<ScriptResult> {
  const totals: Totals = new Map();
  const items = await (threads === 0 ? inOneThread(file, totals) : inThreads(file, totals, threads));
  return { items, report: reportLines(totals) };
}

async function inOneThread(file: string, totals: Totals): Promise<number> {
  let items = 0;
  for await (const block of readBlocks(file)) items += handleLines(Buffer.from(block.buffer).toString(), totals);
  return items;
}

async function inThreads(file: string, totals: Totals, threads: number): Promise<number> {
  workers ??= new ScriptThreads(threads);
  for await (const block of readBlocks(file)) await workers.send(block);
  const folded = await workers.finish();
  for (const each of folded) mergeTotals(totals, each.totals);
  return folded.reduce((sum, { items }) => sum + items, 0);
}

/** Ends the threads. */
export const endScript = async (): Promise<void> => workers?.end();
