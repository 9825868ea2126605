import { describeBlocked, describeProgress, type ShownBatch, type ShownQueue } from '../text/batch-text.ts';
import type { StatusLine } from '../text/status-line.ts';

/** Makes the function that shows the progress of a batch; why it waits, if it does, is printed once. */
export function createProgress(line: StatusLine): (batch: ShownBatch, queues?: readonly ShownQueue[]) => void {
  let printed: string | undefined;
  return (batch, queues) => {
    const blocked = describeBlocked(batch);
    if (blocked !== undefined && blocked !== printed) line.print(blocked);
    printed = blocked;
    line.show(describeProgress(batch, queues));
  };
}
