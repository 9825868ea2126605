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

export interface WaitOptions {
  timeout?: number;
}

const MAX_TIMEOUT_SECONDS = 1_000_000;

export const timeoutOption = (): Option =>
  new Option('--timeout <seconds>', 'maximum wait; no limit by default').argParser(whole(0, MAX_TIMEOUT_SECONDS));

/** Reads the current state of a batch. */
export const getBatch = ({ api }: Pick<Session, 'api'>, id: string): Promise<BatchView> =>
  api.json('GET batches/{id}', { path: { id } });

/**
 * Shows the progress of a batch until it is finished. `first` is its state if already known. Throws CliError after the
 * timeout.
 */
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
    poll: () => getBatch(session, id),
    show: createProgress(line),
    timeoutMs: timeout === undefined ? undefined : timeout * 1000,
  });
  line.finish(describeProgress(batch));
  return batch;
}

/** Describes a batch in full: state, counts, latency, cost, and the next commands. */
export function describeEnd(batch: BatchView): string[] {
  const { id, state, counts, receipt, reportProblem, reportRevision } = batch;
  const { messagePerItem } = receipt.comparison;
  const paused = describeChoice(batch);
  return [
    ...describeBatch(batch),
    `Cost${receipt.soFar ? ' so far' : ''}: ${formatUsd(receipt.totalUsd, receipt)} by the price sheet ${receipt.sheet}; one message per item: ${formatUsd(messagePerItem.usd, receipt)}${receipt.unverified.length > 0 ? ' (* unverified prices)' : ''}`,
    ...(receipt.soFar && isFinished(state)
      ? [`For the final cost, after its drains have ended: sluice batches ${id}`]
      : []),
    ...(paused === undefined ? [] : [paused]),
    ...(reportProblem === undefined ? [] : [`No report: ${reportProblem}`]),
    ...(state === 'reportFailed'
      ? [`To create the report again, after a deployment: sluice redrive ${id} --report`]
      : []),
    ...(reportRevision === null ? [] : [`Report: sluice report ${id}`]),
    ...(counts.dead > 0 ? [`Dead letters: sluice dead-letters ${id}`] : []),
  ];
}
