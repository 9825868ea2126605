import { causeOf } from '../../../contract/cause.ts';
import type { Attempt, DeadReason, RetryItem } from '../../../contract/outcome.ts';
import { MAX_DELAY_SECONDS } from '../../../contract/queue-limits.ts';
import { storableLine } from '../../../contract/text/text.ts';
import { reportThrottled } from '../../../limits/permits.ts';
import type { Workload } from '../../../workload/define.ts';
import { Reject } from '../../../workload/errors.ts';
import { InvalidItem } from '../../../workload/validate-item.ts';
import type { ChunkOutcome } from '../../outcome/encode/encode-outcome.ts';
import { deadLine, retryLine, toResultLine } from '../../outcome/encode/lines.ts';
import { attemptError, type ErrorText, errorLine, isInstance, toErrorText } from '../../outcome/error-text.ts';
import { createFold, type Fold } from '../../outcome/fold.ts';
import type { Source, Sources } from '../../sources.ts';
import { deadlineOf, type ItemEnd, type OtherEnd, type ThreadTask } from '../thread-task.ts';
import { retryAfterSeconds, retryDelayMs } from './back-off.ts';
import { encodeEnds } from './encode-ends.ts';
import { ItemEnds } from './item-ends.ts';

/** Maximum length of a failure: enough to recognize it, since it is stored in a gate row. */
const MAX_FAILURE_CHARS = 300;

export interface BuilderOptions {
  workload: Workload;
  task: ThreadTask;
  sources: Sources;
  nowMs: () => number;
  /** A number in [0, 1), for jitter. */
  random: () => number;
}

/**
 * Collects the ends of all items in one run of a chunk, and creates the outcome. Items end in any order, each once.
 * Results are written and folded in the order of the items, so that the outcome does not depend on the order in which
 * they ended.
 */
export class OutcomeBuilder {
  readonly ends: ItemEnds;
  readonly #options: BuilderOptions;
  readonly #sources: Sources;
  readonly #fold: Fold | undefined;
  /** Results that wait for an earlier item to end. They are folded after it, from their lines. */
  readonly #unfolded = new Set<number>();
  /** The first slot that has not ended. */
  #next = 0;
  #failure = '';
  #latestError: ErrorText | undefined;

  constructor(options: BuilderOptions) {
    this.#options = options;
    this.#sources = options.sources;
    this.#fold = createFold(options.workload.reduce);
    this.ends = new ItemEnds(options.sources.length, options.task.statusBuffer.items);
  }

  slotOf({ line }: Source): number {
    return line - this.#sources.firstLine;
  }

  hasEnded(source: Source): boolean {
    return this.ends.has(this.slotOf(source));
  }

  /**
   * Ends an item with its result.
   * @throws Error if the result cannot be written: the item failed, as if its handler had thrown.
   */
  succeed(source: Source, result: unknown): void {
    const { json, value } = toResultLine(result);
    const slot = this.slotOf(source);
    if (slot === this.#next) this.#fold?.add(value);
    else if (this.#fold !== undefined) this.#unfolded.add(slot);
    this.ends.succeed(slot, json);
    this.#advance(slot);
  }

  /**
   * Ends an item according to what was thrown: invalid, rejected, throttled, or one attempt charged and then retried or
   * exhausted.
   */
  fail(source: Source, thrown: unknown, options: { atMs?: number; rerun?: RetryItem['rerun'] } = {}): void {
    const { atMs = this.#options.nowMs(), rerun } = options;
    const error = toErrorText(thrown);
    if (isInstance(thrown, InvalidItem)) this.#bury(source, 'invalid', error, source.attempts);
    else if (isInstance(thrown, Reject)) this.#bury(source, 'rejected', error, charged(source, error, atMs));
    else if (!this.#deferredByThrottle(source, thrown, rerun))
      this.#failAttempt(source, thrown, { error, attempts: charged(source, error, atMs), rerun });
  }

  /** Ends an item that terminated its thread, and would terminate the next one. */
  kill(source: Source, error: ErrorText, atMs: number): void {
    this.#bury(source, 'killed', error, charged(source, error, atMs));
  }

  /** Passes the item on to the retry chunk, uncharged: it did not run, or `rerun` specifies how it must run again. */
  passOn(source: Source, rerun?: RetryItem['rerun']): void {
    const { retry } = source;
    const line =
      retry && (rerun === undefined || rerun === retry.rerun)
        ? source.text
        : retryLine(source, source.attempts, { notBefore: retry?.notBefore, rerun });
    const dueMs = retry?.notBefore === undefined ? this.#options.nowMs() : Date.parse(retry.notBefore);
    this.#end(this.slotOf(source), { kind: 'retry', line, ran: false, failed: false, dueMs });
  }

  /** Ends an item that had not ended when its batch was cancelled. */
  cancel(source: Source): void {
    this.#end(this.slotOf(source), CANCELLED);
  }

  /** Restores the end of an item from a thread that has died. */
  restore(slot: number, end: ItemEnd): void {
    if (slot >= this.#sources.length || this.ends.has(slot)) return;
    if (typeof end !== 'string') {
      this.#end(slot, end);
      return;
    }
    if (this.#fold !== undefined) this.#unfolded.add(slot);
    this.ends.succeed(slot, end);
    this.#advance(slot);
  }

  /** Yields the items that have not ended, in their order; they may end during the iteration. */
  *rest(): Generator<Source> {
    for (let slot = this.#next; slot < this.#sources.length; slot += 1) {
      if (!this.ends.has(slot)) yield this.#sources.at(slot);
    }
  }

  /** Returns the latest failure of an item, on one line; undefined if there is none. */
  latestError(): string | undefined {
    return this.#latestError && storableLine(errorLine(this.#latestError), MAX_FAILURE_CHARS);
  }

  /** Creates the outcome once every item has ended. With `isCancelled`, items that would be retried are cancelled. */
  encode({ isCancelled = false } = {}): ChunkOutcome {
    const { results } = this.ends;
    const others = this.ends.others();
    const encoded = encodeEnds({
      results,
      others,
      partial: this.#fold?.lines() ?? [],
      failure: this.#failure,
      isCancelled,
    });
    results.release();
    return encoded;
  }

  #end(slot: number, end: OtherEnd): void {
    this.ends.endOtherwise(slot, end);
    this.#advance(slot);
  }

  /** Folds the results that have waited for the item at `slot` to end. */
  #advance(slot: number): void {
    if (slot !== this.#next) return;
    while (this.#next < this.#sources.length && this.ends.has(this.#next)) {
      if (this.#unfolded.delete(this.#next)) this.#fold?.add(JSON.parse(this.ends.results.at(this.#next).toString()));
      this.#next += 1;
    }
  }

  /**
   * Defers an item whose call was throttled by the called service: until the deadline of its batch, that costs no attempt if
   * the workload has a rate limit, because calls slow down. Returns false for any other failure.
   */
  #deferredByThrottle(source: Source, thrown: unknown, rerun: RetryItem['rerun']): boolean {
    const { workload, task } = this.#options;
    const seconds = retryAfterSeconds(thrown);
    const nowMs = this.#options.nowMs();
    if (workload.rateLimit === undefined || seconds === undefined) return false;
    if (nowMs >= Date.parse(deadlineOf(workload, task))) return false;
    const afterMs = Math.min(Math.max(seconds, MIN_AFTER_SECONDS), MAX_DELAY_SECONDS) * 1_000;
    if (task.permits) reportThrottled(task.permits, afterMs);
    this.#retry(source, source.attempts, { dueMs: Math.round(nowMs + afterMs), rerun, failed: false });
    return true;
  }

  #failAttempt(
    source: Source,
    thrown: unknown,
    { error, attempts, rerun }: { error: ErrorText; attempts: readonly Attempt[]; rerun: RetryItem['rerun'] },
  ): void {
    this.#failure ||= storableLine(errorLine(error), MAX_FAILURE_CHARS);
    this.#latestError = error;
    const { workload, nowMs, random } = this.#options;
    if (attempts.length >= workload.retry.attempts) {
      this.#bury(source, 'exhausted', error, attempts, { failed: true });
      return;
    }
    const delayMs = retryDelayMs(workload.retry, attempts.length, random(), retryAfterSeconds(thrown));
    this.#retry(source, attempts, { dueMs: nowMs() + delayMs, rerun, failed: true });
  }

  #retry(
    source: Source,
    attempts: readonly Attempt[],
    { dueMs, rerun, failed }: { dueMs: number; rerun: RetryItem['rerun']; failed: boolean },
  ): void {
    const line = retryLine(source, attempts, { notBefore: new Date(dueMs).toISOString(), rerun });
    this.#end(this.slotOf(source), { kind: 'retry', line, ran: true, failed, dueMs });
  }

  #bury(
    source: Source,
    reason: DeadReason,
    error: ErrorText,
    attempts: readonly Attempt[],
    { failed = false } = {},
  ): void {
    this.#latestError = error;
    const line = deadLine(source, { reason, error, attempts, version: this.#options.task.reference.version });
    const ran = attempts.length > source.attempts.length;
    this.#end(this.slotOf(source), { kind: 'dead', line, ran, failed, cause: causeOf(reason, error) });
  }
}

/** Minimum wait before a throttled call is repeated, even if the called service asks for none. */
const MIN_AFTER_SECONDS = 1;

const CANCELLED: OtherEnd = { kind: 'cancelled', line: '', ran: false, failed: false };

/** Returns the attempts of an item and the failed one. Only an item whose handler ran is charged. */
const charged = (source: Source, error: ErrorText, atMs: number): Attempt[] => [
  ...source.attempts,
  { at: new Date(atMs).toISOString(), error: attemptError(error) },
];
