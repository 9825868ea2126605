/** The invariants of every state of the ledger, and the additional ones of a state without further steps. */

import { followUps } from '../../../shared/batches/apply/follow-ups.ts';
import { isFinished } from '../../../shared/batches/batch-row.ts';
import type { ChunkRow } from '../../../shared/batches/chunk-row.ts';
import { reportBlobName } from '../../../shared/contract/names.ts';
import { readResult } from '../../../shared/contract/reference.ts';
import { readChunkReference } from '../../helpers/data/factories.ts';
import { reportLinesIn } from '../../helpers/data/read-report.ts';
import { ITEMS_QUEUE, RESULTS_QUEUE } from './handler.ts';
import { BATCH } from './programs.ts';
import { ledgerOf, type World } from './world.ts';

export function check(world: World, rest: boolean): string | undefined {
  if (world.broken !== undefined) return world.broken;
  const { batch, chunks } = ledgerOf(world.rows);
  const pending = chunks.filter(({ state }) => state === 'pending');
  const waiting = pending.reduce((sum, { items }) => sum + items, 0);
  const ended = batch.succeeded + batch.dead + batch.discarded + batch.cancelled;
  if (batch.accepted !== ended + waiting)
    return `the law is broken: ${batch.accepted} accepted, ${ended} ended, ${waiting} pending`;
  if (isFinished(batch.state) && (pending.length > 0 || batch.chunksDone !== batch.chunksTotal))
    return 'early completion: finished with a pending row';
  // A process that opens a revision, or cancels one, puts references or ends for every pending row, and starts again
  // after a crash. A paused batch waits for its resume, which puts all references again; until that is complete, the
  // sweep continues it, as it does for a cancel.
  const attended =
    world.actors.some(({ role }) => role === 'redriver' || role === 'discarder' || role === 'canceller') ||
    ['paused', 'cancelling'].includes(batch.state) ||
    batch.resumingAt !== undefined;
  const lost = attended ? undefined : pending.find((row) => !isCovered(world, row));
  if (lost) return `lost: pending row ${lost.chunk} has no reference, and nothing will put it again`;
  const quiet = world.actors.length === 0 && Object.values(world.queues).every((messages) => messages.length === 0);
  return (quiet && !isFinished(batch.state) && !attended) || rest ? checkRest(world) : undefined;
}

/** A pending row has its reference, or its result message, or a process that will put its reference again. */
function isCovered({ queues, rows }: World, { chunk }: ChunkRow): boolean {
  const { resumes: needed = 0 } = ledgerOf(rows).batch;
  const references = (queues[ITEMS_QUEUE] ?? []).map(({ text }) => readChunkReference(text));
  // The reference of the parent counts, too: a worker that collects inline deletes it after the follow-ups have references.
  const isOf = (named: string): boolean => named === chunk || named === parentOf(chunk);
  if (references.some(({ chunk: named, resumes = 0 }) => isOf(named) && resumes >= needed)) return true;
  const ends = (queues[RESULTS_QUEUE] ?? []).flatMap(({ text }) => readResult(text).chunks);
  return ends.some((end) => end.chunk === chunk || parentOf(chunk) === end.chunk);
}

function parentOf(chunk: string): string {
  const retry = /^(.*)\.r(\d+)$/.exec(chunk);
  if (!retry) return chunk.replace(/\.s\d+$/, '');
  return Number(retry[2]) === 1 ? String(retry[1]) : `${retry[1]}.r${Number(retry[2]) - 1}`;
}

function checkRest(world: World): string | undefined {
  const { batch, chunks } = ledgerOf(world.rows);
  if (!isFinished(batch.state)) return `stuck: nothing moves, and the batch is ${batch.state}`;
  if (!batch.announced || world.announced === 0) return 'stuck: the end was never announced';
  const dead = chunks.reduce((sum, { header }) => sum + (header?.counts.dead ?? 0), 0);
  const published = Object.values(world.announcedDead).reduce((sum, items) => sum + items, 0);
  if (published !== dead) return `unpublished: ${dead} dead letters, and ${published} in the events`;
  if (isOpen(world)) return 'stuck: the batch is still open after a sweep';
  if (chunks.some((row) => row.header && followUps(row.reference, row.header).length > chunks.length))
    return 'a follow-up has no row';
  return checkReport(world);
}

export const isOpen = ({ rows }: World): boolean => Object.keys(rows).some((key) => key.startsWith('open|'));

/** Each succeeded item is in the report, exactly once. */
function checkReport({ rows, blobs }: World): string | undefined {
  const { batch } = ledgerOf(rows);
  const blob = blobs[`reports/${reportBlobName(BATCH, batch.revision)}`];
  if (!blob) return 'dangling: the report is not there';
  const counted = reportLinesIn(Buffer.from(blob.body, 'base64')).map(
    (line) => JSON.parse(line) as { key: string; value: number },
  );
  if (counted.some(({ value }) => value !== 1)) return 'double count: an item stands in the report twice';
  if (counted.length !== batch.succeeded)
    return `double count: ${counted.length} items in the report, ${batch.succeeded} by the counters`;
  return undefined;
}
