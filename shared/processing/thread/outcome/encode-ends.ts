import { countCause, isCauseOf } from '../../../contract/cause.ts';
import { type ChunkOutcome, encodeOutcome } from '../../outcome/encode/encode-outcome.ts';
import type { ResultLines } from '../../outcome/encode/result-lines.ts';
import type { OtherEnd } from '../thread-task.ts';

export interface OutcomeParts {
  results: Pick<ResultLines, 'items' | 'inOrder'>;
  /** The items without a result, in their order. */
  others: readonly OtherEnd[];
  /** Lines of the partial aggregate. */
  partial: readonly string[];
  /** The first failure for retry, on one line; empty if there is none. */
  failure: string;
  /** Whether items that would be retried are cancelled. */
  isCancelled: boolean;
}

/** Creates the outcome of a chunk from the ends of its items, and counts them. */
export function encodeEnds({ results, others: all, partial, failure, isCancelled }: OutcomeParts): ChunkOutcome {
  const others = isCancelled ? all.map(cancelledIfRetry) : all;
  const { retry = [], dead = [], cancelled = [] } = Object.groupBy(others, ({ kind }) => kind);
  const counts = {
    items: results.items + others.length,
    succeeded: results.items,
    dead: dead.length,
    cancelled: cancelled.length,
    retried: retry.length,
  };
  const dueMs = retry.reduce((first, end) => Math.min(first, end.dueMs ?? first), Number.POSITIVE_INFINITY);
  const moved = retry.filter(({ failed }) => !failed);
  const causes = new Map<string, number>();
  for (const { cause } of dead) if (cause !== undefined) countCause(causes, cause);
  const invalid = dead.filter(({ cause = '' }) => isCauseOf('invalid', cause)).length;
  const header = {
    ending: isCancelled ? 'cancelled' : 'processed',
    counts,
    ...(retry.length > 0 && { dueAt: new Date(dueMs).toISOString() }),
    ...(moved.length > 0 && { moved: moved.length }),
    ...(invalid > 0 && { invalid }),
  } as const;
  return {
    ...encodeOutcome(header, {
      results: { bytes: results.inOrder(), items: results.items },
      retries: retry.map(({ line }) => line),
      dead: dead.map(({ line }) => line),
      partial,
    }),
    failures: others.filter(({ failed }) => failed).length,
    failure,
    // A throttled call says nothing about the item, or about the health of the called service.
    ran: results.items + others.filter(({ ran }) => ran).length - moved.filter(({ ran }) => ran).length,
    causes: Object.fromEntries(causes),
  };
}

const cancelledIfRetry = (end: OtherEnd): OtherEnd => (end.kind === 'retry' ? { ...end, kind: 'cancelled' } : end);
