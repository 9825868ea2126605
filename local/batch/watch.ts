import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusLine } from '../../cli/process/status-line.ts';
import { describeProgress } from '../../cli/text/batch-text.ts';
import { createProgress } from '../../cli/watch/show-progress.ts';
import { untilFinished } from '../../cli/watch/until-finished.ts';
import type { Batch, SluiceApi } from './api.ts';

/** Each poll is two requests that read storage; two per second are enough for a smooth display. */
const POLL_MS = 500;
/** After an edit, `npm run dev` runs a small batch, and the user waits for its end. */
const FIRST_POLL_MS = 100;
const IMPATIENT_MS = 3_000;
/** A batch that ends before this time shows no queues. */
const QUEUES_AFTER_MS = 1_000;

/** Shows a batch and the queues until the batch no longer changes, and returns its final state. */
export async function watchBatch(api: SluiceApi, { id }: Batch, line: StatusLine): Promise<Batch> {
  const show = createProgress(line);
  const now = performance.now.bind(performance);
  const startedAt = now();
  const batch = await untilFinished({
    poll: () => api.batch(id),
    show: async (each) => show(each, now() - startedAt < QUEUES_AFTER_MS ? undefined : await api.queues()),
    ...{
      sleep,
      now,
      everyMs: (waitedMs) => (waitedMs < IMPATIENT_MS ? FIRST_POLL_MS : POLL_MS),
    },
  });
  line.finish(describeProgress(batch));
  return batch;
}

/** A drain continues for some seconds after its last message. */
const RECEIPT_MS = 30_000;

/**
 * Returns the batch when its receipt is final, that is when its drains have finished. After a time limit, returns it as
 * it is.
 */
export async function withReceipt(api: SluiceApi, batch: Batch): Promise<Batch> {
  const untilMs = performance.now() + RECEIPT_MS;
  let seen = batch;
  while (seen.receipt.soFar && performance.now() < untilMs) {
    await sleep(POLL_MS);
    seen = await api.batch(batch.id);
  }
  return seen;
}
