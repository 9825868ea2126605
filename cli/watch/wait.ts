import { Option } from 'commander';
import { isFinished } from '../../shared/batches/batch-row.ts';
import type { BatchView } from '../../shared/http/batches/schemas.ts';
import { whole } from '../options.ts';
import { createStatusLine } from '../process/status-line.ts';
import type { Session } from '../session.ts';
import { describeBatch, describeChoice, describeProgress } from '../text/batch-text.ts';
import { formatUsd } from '../text/format.ts';
import { createProgress } from './show-progress.ts';
import { untilFinished } from './until-finished.ts';

/** Options of every command that can wait. */
export interface WaitOptions {
  /** Seconds. */
  timeout?: number;
}

/** A longer wait is none. */
const MAX_TIMEOUT_SECONDS = 1_000_000;

export const timeoutOption = (): Option =>
  new Option('--timeout <seconds>', 'longest wait; default none').argParser(whole(0, MAX_TIMEOUT_SECONDS));

const batchPath = (id: string): string => `batches/${encodeURIComponent(id)}`;

/** The batch as it is now. */
export const getBatch = ({ api }: Session, id: string): Promise<BatchView> => api.json({ path: batchPath(id) });

/** Shows a batch until it is finished. `first` is what was just heard of it. Throws CliError when the time is over. */
export async function waitFor(
  session: Session,
  id: string,
  { timeout, first }: WaitOptions & { first?: BatchView } = {},
): Promise<BatchView> {
  const { now, sleep } = session.io;
  const line = createStatusLine(session.screen, now);
  const batch = await untilFinished<BatchView>({
    ...{ now, sleep },
    ...(first === undefined ? {} : { first }),
    look: () => getBatch(session, id),
    show: createProgress(line),
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  });
  line.finish(describeProgress(batch));
  return batch;
}

/** A batch in full: state, counts, latency, what it has cost, and where to look next. */
export function describeEnd(batch: BatchView): string[] {
  const { id, state, counts, receipt, reportProblem, reportRevision } = batch;
  const { messageAnItem } = receipt.comparison;
  const paused = describeChoice(batch);
  return [
    ...describeBatch(batch),
    `Cost${receipt.soFar ? ' so far' : ''}: ${formatUsd(receipt.totalUsd, receipt)} by the price sheet ${receipt.sheet}; one message per item: ${formatUsd(messageAnItem.usd, receipt)}${receipt.unverified.length > 0 ? ' (* unverified prices)' : ''}`,
    ...(receipt.soFar && isFinished(state)
      ? [`The rest of its cost, when its drains have ended: sluice batches ${id}`]
      : []),
    ...(paused === undefined ? [] : [paused]),
    ...(reportProblem === undefined ? [] : [`No report: ${reportProblem}`]),
    ...(state === 'reportFailed' ? [`To make it again, after a deployment: sluice redrive ${id} --report`] : []),
    ...(reportRevision === null ? [] : [`Report: sluice report ${id}`]),
    ...(counts.dead > 0 ? [`Dead letters: sluice dead-letters ${id}`] : []),
  ];
}
