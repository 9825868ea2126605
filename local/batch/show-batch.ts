import type { ReloadableStack } from 'functions-local';
import { createStatusLine, type Screen } from '../../cli/process/status-line.ts';
import { describeRepeat } from '../../cli/text/batch-text.ts';
import { formatNumber } from '../../cli/text/format.ts';
import { type Batch, createApi, type SluiceApi } from './api.ts';
import { peakMemory } from './peak-memory.ts';
import type { Submission } from './submission.ts';
import { describeReport, describeRun } from './summary.ts';
import { uploadFile } from './upload.ts';
import { watchBatch, withReceipt } from './watch.ts';

/** The parts of the stack that showBatch uses. */
export type ShownStack = Pick<ReloadableStack, 'url' | 'keys' | 'instances'>;

/** The result of a run. */
export interface Shown {
  batch: Batch;
  /** Descriptions of everything that is not as expected; empty if all is correct. */
  problems: string[];
}

/** Processes a file in the pipeline and shows each step: upload, progress, report, check. */
export async function showBatch(stack: ShownStack, submission: Submission, screen: Screen): Promise<Shown> {
  const api = createApi(stack.url, stack.keys);
  const print = (lines: readonly string[]): void => void screen.write(`${lines.join('\n')}\n`);
  const { batch: accepted, isRepeat } = await uploadFile(api, submission, screen);
  const { id, chunks, lane } = accepted;
  if (isRepeat && submission.isOnce) print([describeRepeat(accepted, '--again')]);
  else print([`Accepted as batch ${id}, ${formatNumber(chunks.total, 'chunk')}, lane ${lane}`]);
  const ended = await watchBatch(api, accepted, createStatusLine(screen, performance.now.bind(performance)));
  const peakBytes = await highestPeak(stack);
  const batch = await withReceipt(api, ended);
  const report = batch.reportProblem === undefined ? await api.report(batch.id) : [];
  print(['', ...describeReport(report), '', ...describeRun(batch, peakBytes, stack.instances.length)]);
  return { batch, problems: await check(batch, report, submission) };
}

/** Returns the highest peak memory of all instances. */
async function highestPeak({ instances }: ShownStack): Promise<number | undefined> {
  const peaks = await Promise.all(instances.map((instance) => peakMemory(instance.process.pid)));
  const isKnown = peaks.length > 0 && peaks.every((peak) => peak !== undefined);
  return isKnown ? Math.max(...peaks) : undefined;
}

async function check(
  { counts, state, reportProblem }: Batch,
  report: Awaited<ReturnType<SluiceApi['report']>>,
  { compare }: Submission,
): Promise<string[]> {
  if (reportProblem !== undefined) return [`no report: ${reportProblem}`];
  if (state === 'cancelled') return ['the batch was cancelled'];
  if (compare) return compare({ counts, report });
  const lost = counts.accepted - counts.succeeded - counts.dead - counts.discarded;
  return lost === 0 ? [] : [`${lost} of ${counts.accepted} items are neither succeeded nor dead letters`];
}
