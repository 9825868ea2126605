import type { StatusLine } from '../process/status-line.ts';
import {
  describeChoice,
  describeFailure,
  describeProgress,
  describeTrouble,
  type ShownBatch,
  type ShownQueue,
} from '../text/batch-text.ts';

/**
 * Creates the function that shows the progress of a batch. Remarks on waiting, pauses and failures are printed when they
 * change.
 */
export function createProgress(line: StatusLine): (batch: ShownBatch, queues?: readonly ShownQueue[]) => void {
  const notes = [describeTrouble, describeChoice, describeFailure].map((describe) => ({
    describe,
    printed: undefined as string | undefined,
  }));
  return (batch, queues) => {
    for (const note of notes) {
      const text = note.describe(batch);
      if (text === undefined || text === note.printed) continue;
      line.print(text);
      note.printed = text;
    }
    line.show(describeProgress(batch, queues));
  };
}
