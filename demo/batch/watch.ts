import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusLine } from '../../cli/process/status-line.ts';
import { describeProgress } from '../../cli/text/batch-text.ts';
import { createProgress } from '../../cli/watch/show-progress.ts';
import { untilFinished } from '../../cli/watch/until-finished.ts';
import type { Batch, SluiceApi } from './api.ts';

/** Each look is two requests that read storage; twice a second is smooth enough for the eye. */
const POLL_MS = 500;
/** After an edit, `npm run dev` runs a small batch, and the user waits for its end. */
const FIRST_POLL_MS = 100;
const IMPATIENT_MS = 3_000;
/** A batch that ends before has no queues to look at. */
const QUEUES_AFTER_MS = 1_000;

/** Shows a batch, and the queues, until nothing more will happen to it, and returns it as it is then. */
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

/** A drain stays for some seconds after its last message. */
const RECEIPT_MS = 30_000;

/** The batch once its receipt is final: when the drains that have worked for it have ended. As it is, if they do not end. */
export async function withReceipt(api: SluiceApi, batch: Batch): Promise<Batch> {
  const untilMs = performance.now() + RECEIPT_MS;
  let seen = batch;
  while (seen.receipt.soFar && performance.now() < untilMs) {
    await sleep(POLL_MS);
    seen = await api.batch(batch.id);
  }
  return seen;
}
