/** The report of a batch: NDJSON of {key, value}, sorted by key, behind a header in a skippable frame. */
import type { ContainerClient } from '@azure/storage-blob';
import type { BatchRow } from '../batches/batch-row.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { decodeFrame, encodeFrame, skippableFrame } from '../contract/frame.ts';
import { CONTAINERS, reportBlobName, revisionOf } from '../contract/names.ts';
import { type FailedFold, failureOf, type PartialLine } from '../contract/outcome.ts';
import { statusOf } from '../errors.ts';
import { readRange } from '../processing/fetch-frames.ts';
import { createStrictFold } from '../processing/outcome/fold.ts';
import type { Workload } from '../workload/define.ts';
import type { Registry } from '../workload/registry.ts';
import { frameOfChunk, readAhead } from './chunk-pages.ts';
import { createMerge, reportStep } from './merge.ts';

/** Partial aggregates read at once, and held in memory until they are merged. */
const PARTIALS_AT_ONCE = 16;
/** Results of a chunk read at once to be folded again: they take many times the room of its partial aggregate. */
const RESULTS_AT_ONCE = 4;

export interface ReportDeps {
  container: (name: string) => ContainerClient;
  registry: Registry;
}

/**
 * Writes the report of the batch's revision, create-only: it is a pure function of the rows, so that a repeat would
 * write the same bytes.
 * @throws ReportError when trying again would not help: the workload's `reduce` throws, or a partial cannot be read.
 */
export async function writeReport(deps: ReportDeps, batch: BatchRow, rows: readonly ChunkRow[]): Promise<void> {
  const workload = deps.registry.workload(batch.workload);
  const { name = '', reduce } = workload ?? {};
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
  try {
    await blob.upload(body, body.length, {
      conditions: { ifNoneMatch: '*' },
      blobHTTPHeaders: { blobContentType: 'application/zstd' },
    });
  } catch (error) {
    if (statusOf(error) !== 409 && statusOf(error) !== 412) throw error;
  }
}

const lastDone = (rows: readonly ChunkRow[]): string =>
  rows.reduce((last, { doneAt = '' }) => (doneAt > last ? doneAt : last), '');

/** What a report is made with. */
interface Reducing extends Pick<Workload, 'name'> {
  reduce: NonNullable<Workload['reduce']>;
}

async function mergePartials(
  deps: ReportDeps,
  { name, reduce }: Reducing,
  { batch, rows }: { batch: BatchRow; rows: readonly ChunkRow[] },
): Promise<string[]> {
  const merge = createMerge({ name, reduce });
  const latest = latestReportRedrive(batch);
  const isOlder = ({ chunk }: ChunkRow): boolean => revisionOf(chunk) < latest;
  const read = async (row: ChunkRow): Promise<PartialLine[]> => {
    if (isOlder(row)) return foldAgain(deps, reduce, row);
    const lines = await readValues<PartialLine | FailedFold>(deps, row, 'partial');
    return failureOf(lines) === undefined ? (lines as PartialLine[]) : foldAgain(deps, reduce, row);
  };
  const parts = rows.filter((row) => row.header?.[isOlder(row) ? 'results' : 'partial'] !== undefined);
  const atOnce = latest > 0 ? RESULTS_AT_ONCE : PARTIALS_AT_ONCE;
  for await (const partial of readAhead(parts, atOnce, read)) merge.add(partial);
  return merge.lines();
}

/** A redrive of the report alone replaces what was folded before it: the defect may have been in `add`. */
const latestReportRedrive = ({ reportRedrives = {} }: BatchRow): number =>
  Math.max(0, ...Object.keys(reportRedrives).map(Number));

/**
 * Folds the stored results of a chunk by the code that is deployed now. Where the fold failed in its worker thread, the
 * same code fails again, and this error names the result.
 */
async function foldAgain(deps: ReportDeps, reduce: Reducing['reduce'], row: ChunkRow): Promise<PartialLine[]> {
  const fold = createStrictFold(reduce);
  const results = await readValues<unknown>(deps, row, 'results');
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

const FRAMES = { partial: 'partial aggregate', results: 'results' } as const;

async function readValues<T>(deps: ReportDeps, row: ChunkRow, name: keyof typeof FRAMES): Promise<T[]> {
  const found = frameOfChunk(row, name);
  if (!found) return [];
  const { blob, place } = found;
  const frame = await readRange(deps.container(CONTAINERS.results), { container: 'results', blob, ...place });
  return reportStep(
    () => `The ${FRAMES[name]} of chunk ${row.chunk} cannot be read`,
    () => {
      if (!frame) throw new Error(`The outcome blob ${blob} is not there, or shorter than its header says.`);
      // A line feed cannot stand inside a JSON value, and one call for all lines takes half the time of a call for each.
      const lines = decodeFrame(frame, place).toString('utf8').trimEnd().replaceAll('\n', ',');
      return JSON.parse(`[${lines}]`) as T[];
    },
  );
}
