import { TimeoutError } from '../../outcome/error-text.ts';
import { isInFlight, NOT_BEGUN } from '../thread-status.ts';
import type { Remains } from '../thread-task.ts';
import { readCopy } from './copies.ts';
import type { OutcomeBuilder } from './outcome-builder.ts';

/**
 * Creates the end of a chunk whose thread has died, without a call of its handler. Copied items keep their ends. The item
 * that ran alone is charged. Items in flight are passed on and will run alone; items whose end was lost are passed on and
 * will run again. Neither of these is charged.
 */
export function salvage(
  builder: OutcomeBuilder,
  { remains: { items, copies, verdict }, timeoutMs }: { remains: Remains; timeoutMs: number },
): void {
  for (const copy of copies) for (const [slot, ended] of readCopy(copy)) builder.restore(slot, ended);
  for (const source of builder.rest()) {
    const slot = builder.slotOf(source);
    if (slot === verdict?.slot) {
      if (verdict.kind === 'killed') builder.kill(source, verdict.error, verdict.atMs);
      // Alone, because its next attempt would again terminate the thread of other items.
      else builder.fail(source, new TimeoutError(timeoutMs), { atMs: verdict.atMs, rerun: 'alone' });
    } else if (isInFlight(items[slot])) builder.passOn(source, 'alone');
    else if (items[slot] !== NOT_BEGUN) builder.passOn(source, source.retry?.rerun ?? 'careful');
  }
}
