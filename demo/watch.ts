import { setTimeout as sleep } from 'node:timers/promises';
import { type Batch, isSettled, type Queue, type SluiceApi } from './api.ts';
import { formatBar, formatCount } from './format.ts';
import type { StatusLine } from './status-line.ts';

/** Each look is two requests that read storage; twice a second is smooth enough for the eye. */
const POLL_MS = 500;

/** Shows a batch until nothing more will happen to it, and returns it as it is then. */
export async function watchBatch(api: SluiceApi, { id }: Batch, line: StatusLine): Promise<Batch> {
  for (;;) {
    const batch = await api.batch(id);
    if (isSettled(batch)) {
      line.finish(describeProgress(batch, undefined));
      return batch;
    }
    line.show(describeProgress(batch, await api.queues()));
    await sleep(POLL_MS);
  }
}

/** Progress in one line; depth and tasks are of all queues, as they share the machine. */
export function describeProgress(batch: Batch, queues: readonly Queue[] | undefined): string {
  const { accepted, pending } = batch.counts;
  const done = accepted - pending;
  const sum = (field: 'depth' | 'active'): number => (queues ?? []).reduce((total, queue) => total + queue[field], 0);
  return [
    `Process ${formatBar(accepted === 0 ? 0 : done / accepted)} ${formatCount(done)} of ${formatCount(accepted)} items`,
    ...(queues ? [`queue depth ${sum('depth')}`, `${sum('active')} dequeue tasks active`] : []),
    ...(batch.ratePerSecond === null ? [] : [`${formatCount(batch.ratePerSecond)} items/s`]),
  ].join(', ');
}
