/** The report of a batch: NDJSON of {key, value}, sorted by key, behind a header in a skippable frame. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { encodeFrame, skippableFrame } from '../contract/frame.ts';
import { CONTAINERS, reportBlobName, revisionOf } from '../contract/names.ts';
import type { PartialLine } from '../contract/outcome.ts';
import { unlessStatus } from '../errors.ts';
import { readAhead } from '../parallel.ts';
import { readRange } from '../processing/fetch-frames.ts';
import { createStrictFold } from '../processing/outcome/fold.ts';
import type { Services } from '../queues/services.ts';
import type { Workload } from '../workload/define.ts';
import { type ChunkFrame, frameOfChunk } from './chunk-pages.ts';
import { createMerge, decodeValues, type Merge, partialLinesIn, type Reducing, reportStep } from './merge.ts';
import type { MergeAhead, MergedAhead } from './merge-ahead.ts';

/** Maximum number of frames read at a time. They wait compressed, so that memory does not grow with the batch. */
const FRAMES_AT_ONCE = 8;

type ReportDeps = Pick<Services, 'container'> & { mergeAhead: Pick<MergeAhead, 'take'> };

export interface Reported {
  workload: Pick<Workload, 'name' | 'reduce'>;
  batch: BatchRow;
  rows: readonly ChunkRow[];
}

/**
 * Writes the report of the batch's revision, create-only: it is a pure function of the rows, except for `createdAt` of a batch that
 * ends in the transaction of its last chunks. A repeat keeps the first report.
 * @throws ReportError if a repeat would not help: the workload's `reduce` throws, or a partial aggregate cannot be read.
 */
export async function writeReport(deps: ReportDeps, { workload, batch, rows }: Reported): Promise<void> {
  const { name, reduce } = workload;
  const lines = reduce ? await mergePartials(deps, { name, reduce }, { batch, rows }) : [];
  const { id, revision, accepted, succeeded, dead, discarded, cancelled } = batch;
  const header = {
    batch: id,
    revision,
    counts: { accepted, succeeded, dead, discarded, cancelled },
    rows: lines.length,
    createdAt: lastDone(rows),
  };
  const text = reportStep(
    () => 'The report is too large',
    () => Buffer.from(lines.map((line) => `${line}\n`).join('')),
  );
  const body = Buffer.concat([skippableFrame(Buffer.from(JSON.stringify(header))), await encodeFrame(text)]);
  const blob = deps.container(CONTAINERS.reports).getBlockBlobClient(reportBlobName(id, revision));
  const options = { conditions: { ifNoneMatch: '*' }, blobHTTPHeaders: { blobContentType: 'application/zstd' } };
  await unlessStatus([409, 412], blob.upload(body, body.length, options));
}

const lastDone = (rows: readonly ChunkRow[]): string =>
  rows.reduce((last, { doneAt = '' }) => (doneAt > last ? doneAt : last), '');

async function mergePartials(
  deps: ReportDeps,
  workload: Reducing,
  { batch, rows }: Pick<Reported, 'batch' | 'rows'>,
): Promise<string[]> {
  const latest = latestReportRedrive(batch);
  const isOlder = ({ chunk }: ChunkRow): boolean => revisionOf(chunk) < latest;
  const parts = rows.flatMap((row) => frameOfChunk(row, isOlder(row) ? 'results' : 'partial') ?? []);
  const ahead = deps.mergeAhead.take(batch.id);
  const { merge, count } = mergedOf(ahead, parts) ?? { merge: createMerge(workload), count: 0 };
  const read = async (part: ChunkFrame) => ({
    part,
    frame: ahead.frames.get(part.place.digest) ?? (await readFrame(deps, part)),
  });
  for await (const { part, frame } of readAhead(parts.slice(count), FRAMES_AT_ONCE, read)) {
    const values = decode(part, frame);
    if (isOlder(part.row)) merge.add(foldAgain(workload.reduce, part, values));
    else merge.add(partialLinesIn(values) ?? (await foldResults(deps, workload.reduce, part.row)));
    // Frames in memory come without a wait, and leases must be renewed meanwhile.
    await nextTurn();
  }
  return merge.lines();
}

/** Returns what was merged ahead, with the number of its chunks; undefined if the rows do not begin with exactly these. */
function mergedOf(
  { merge, digests }: MergedAhead,
  parts: readonly ChunkFrame[],
): { merge: Merge; count: number } | undefined {
  if (!merge || !digests.every((digest, index) => parts[index]?.place.digest === digest)) return undefined;
  return { merge, count: digests.length };
}

/** A redrive of the report alone replaces everything that was folded before it: the defect may have been in `add`. */
const latestReportRedrive = ({ reportRedrives = {} }: BatchRow): number =>
  Math.max(0, ...Object.keys(reportRedrives).map(Number));

async function foldResults(deps: ReportDeps, reduce: Reducing['reduce'], row: ChunkRow): Promise<PartialLine[]> {
  const part = frameOfChunk(row, 'results');
  return part ? foldAgain(reduce, part, decode(part, await readFrame(deps, part))) : [];
}

/**
 * Folds the stored results of a chunk with the code that is deployed now. If the fold failed in its worker thread, the
 * same code fails again, and this error contains the number of the result.
 */
function foldAgain(reduce: Reducing['reduce'], { row }: ChunkFrame, results: readonly unknown[]): PartialLine[] {
  const fold = createStrictFold(reduce);
  for (const [index, result] of results.entries()) {
    reportStep(
      () => `The fold of result ${index + 1} of chunk ${row.chunk} failed`,
      () => fold.add(result),
    );
  }
  return reportStep(
    () => `The fold of chunk ${row.chunk} cannot be written`,
    () => fold.lines().map((line) => JSON.parse(line) as PartialLine),
  );
}

const readFrame = (deps: ReportDeps, { blob, place }: ChunkFrame): Promise<Buffer | undefined> =>
  readRange(deps.container(CONTAINERS.results), { container: 'results', blob, ...place });

const decode = ({ row, blob, place }: ChunkFrame, frame: Uint8Array | undefined): unknown[] =>
  reportStep(
    () => `The ${row.header?.partial === place ? 'partial aggregate' : 'results'} of chunk ${row.chunk} cannot be read`,
    () => {
      if (!frame) throw new Error(`The outcome blob ${blob} does not exist, or is shorter than its header states.`);
      return decodeValues(frame, place);
    },
  );
