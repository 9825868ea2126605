import { countCause, isCauseOf } from '../../../contract/cause.ts';
import type { ChunkOutcome } from '../../outcome/encode/encode-outcome.ts';
import { type EncodedOutcome, encodeOutcome } from '../../outcome/encode/encode-outcome.ts';
import type { ResultLines } from '../../outcome/encode/result-lines.ts';
import type { EndWithoutResult } from '../thread-task.ts';

/** The ends of all items of a chunk. */
export interface ItemEnds {
  results: Pick<ResultLines, 'items' | 'inOrder'>;
  /** The items without a result, in their order. */
  others: readonly EndWithoutResult[];
  /** Lines of the partial aggregate. */
  partial: readonly string[];
  /** The first failure for retry, on one line; empty if there is none. */
  failure: string;
  /** Whether items that would be retried are cancelled. */
  isCancelled: boolean;
}

/** An outcome whose body can be transferred to another thread. */
export type TransferableOutcome = Omit<ChunkOutcome, 'body'> & Pick<EncodedOutcome, 'body'>;

/** Creates the outcome of a chunk from the ends of its items, and counts them. */
export function encodeEnds({ results, others: all, partial, failure, isCancelled }: ItemEnds): TransferableOutcome {
  const others = isCancelled ? all.map(cancelledIfRetry) : all;
  const retries = linesOf(others, 'retry');
  const dead = linesOf(others, 'dead');
  const counts = {
    items: results.items + others.length,
    succeeded: results.items,
    dead: dead.length,
    cancelled: linesOf(others, 'cancelled').length,
    retried: retries.length,
  };
  const ending = isCancelled ? 'cancelled' : 'processed';
  const encoded = encodeOutcome(
    { ending, counts, ...dueOf(others), ...movedOf(others), ...invalidOf(others) },
    { results: { bytes: results.inOrder(), items: results.items }, retries, dead, partial },
  );
  return {
    ...encoded,
    failures: others.filter(({ failed }) => failed).length,
    failure,
    ran: results.items + others.filter((other) => other.ran && !isThrottled(other)).length,
    causes: causesOf(others),
  };
}

/** When the first retry is due. */
function dueOf(others: readonly EndWithoutResult[]): { dueAt?: string } {
  if (!others.some(({ kind }) => kind === 'retry')) return {};
  const dueMs = others.reduce((first, end) => Math.min(first, end.dueMs ?? first), Number.POSITIVE_INFINITY);
  return { dueAt: new Date(dueMs).toISOString() };
}

function movedOf(others: readonly EndWithoutResult[]): { moved?: number } {
  const moved = others.filter(({ kind, failed }) => kind === 'retry' && !failed).length;
  return moved > 0 ? { moved } : {};
}

function invalidOf(others: readonly EndWithoutResult[]): { invalid?: number } {
  const invalid = others.filter(({ cause }) => cause !== undefined && isCauseOf('invalid', cause)).length;
  return invalid > 0 ? { invalid } : {};
}

function causesOf(others: readonly EndWithoutResult[]): Record<string, number> {
  const causes = new Map<string, number>();
  for (const { cause } of others) if (cause !== undefined) countCause(causes, cause);
  return Object.fromEntries(causes);
}

/** Whether a call was throttled. It says nothing about the item, or about the health of the called service. */
const isThrottled = ({ kind, ran, failed }: EndWithoutResult): boolean => kind === 'retry' && ran && !failed;

const cancelledIfRetry = (ended: EndWithoutResult): EndWithoutResult =>
  ended.kind === 'retry' ? { ...ended, kind: 'cancelled' } : ended;

const linesOf = (others: readonly EndWithoutResult[], kind: EndWithoutResult['kind']): string[] =>
  others.filter((other) => other.kind === kind).map(({ line }) => line);
