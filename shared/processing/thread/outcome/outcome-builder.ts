import { causeOf, countCause, isCauseOf } from '../../../contract/cause.ts';
import { MAX_DELAY_SECONDS } from '../../../contract/delay.ts';
import type { Attempt, DeadReason, RetryItem } from '../../../contract/outcome.ts';
import { storableLine } from '../../../contract/text/text.ts';
import type { Workload } from '../../../workload/define.ts';
import { Reject, Retry } from '../../../workload/errors.ts';
import { InvalidItem } from '../../../workload/validate-item.ts';
import { type EncodedOutcome, encodeOutcome } from '../../outcome/encode/encode-outcome.ts';
import { deadLine, retryLine, toResultLine } from '../../outcome/encode/lines.ts';
import { attemptError, type ErrorText, errorLine, isInstance, toErrorText } from '../../outcome/error-text.ts';
import { createFold, type Fold } from '../../outcome/fold.ts';
import type { Source, Sources } from '../../sources.ts';
import type { ChunkOutcome, EndedItem, OtherEnd } from '../thread-task.ts';
import { retryDelayMs } from './back-off.ts';
import { EndedItems, type FreshEnd } from './ended-items.ts';

/** Service time now in milliseconds, and a number in [0, 1) for jitter. */
export interface Chances {
  nowMs: () => number;
  random: () => number;
}

/** Enough to know a failure again; it becomes part of a gate row. */
const MAX_FAILURE_CHARS = 300;

/** What is done with a call that the other side has throttled: before service time `untilMs` it is not charged. */
export interface Throttle {
  untilMs: number;
  report: (afterMs: number) => void;
}

/** What a builder is made of. */
export interface BuilderOptions {
  workload: Workload;
  sources: Sources;
  /** The workload's version that dead letters name. */
  version: number;
  chances: Chances;
  /** Gets, by its slot, how each item whose handler was called has ended. */
  states: Uint8Array;
  /** Absent: the rate of the workload is not limited. */
  throttle?: Throttle | undefined;
}

/**
 * Keeps what becomes of each item of one run of a chunk, and makes the outcome of it. Items end in any order; each ends
 * once. Results are written and folded in the order of the items, so that the outcome does not depend on which came first.
 */
export class OutcomeBuilder {
  readonly #workload: Workload;
  readonly #sources: Sources;
  readonly #version: number;
  readonly #chances: Chances;
  readonly #throttle: Throttle | undefined;
  readonly #fold: Fold | undefined;
  readonly #ended: EndedItems;
  /** Results that wait for an item before them to end: they are folded after it, from their lines. */
  readonly #unfolded = new Set<number>();
  /** The first slot that has not ended. */
  #next = 0;
  #failure = '';
  #latestError: ErrorText | undefined;

  constructor({ workload, sources, version, chances, states, throttle }: BuilderOptions) {
    this.#workload = workload;
    this.#sources = sources;
    this.#version = version;
    this.#chances = chances;
    this.#throttle = throttle;
    this.#fold = createFold(workload.reduce);
    this.#ended = new EndedItems(sources.length, states);
  }

  /** Whether this run has brought any item further. */
  get progressed(): boolean {
    return this.#ended.progressed;
  }

  /** The place of an item in the chunk, from 0. */
  slotOf({ line }: Source): number {
    return line - this.#sources.firstLine;
  }

  /** Whether an item has ended. */
  hasEnded(source: Source): boolean {
    return this.#ended.has(this.slotOf(source));
  }

  /** @throws when the result cannot be written: the item failed, as if its handler had thrown. */
  succeed(source: Source, result: unknown): void {
    const { json, value } = toResultLine(result);
    const slot = this.slotOf(source);
    if (slot === this.#next) this.#fold?.add(value);
    else if (this.#fold !== undefined) this.#unfolded.add(slot);
    this.#ended.succeed(slot, json);
    this.#advance(slot);
  }

  /** Decides by what was thrown: invalid, rejected, or one attempt charged and then retried or exhausted. */
  fail(source: Source, thrown: unknown, options: { atMs?: number; rerun?: RetryItem['rerun'] } = {}): void {
    const { atMs = this.#chances.nowMs(), rerun } = options;
    const error = toErrorText(thrown);
    if (isInstance(thrown, InvalidItem)) this.#bury(source, 'invalid', error, source.attempts);
    else if (isInstance(thrown, Reject)) this.#bury(source, 'rejected', error, charged(source, error, atMs));
    else if (!this.#deferredByThrottle(source, thrown, rerun))
      this.#failAttempt(source, thrown, { error, attempts: charged(source, error, atMs), rerun });
  }

  /** The item has ended its thread, and would end the next one. */
  kill(source: Source, error: ErrorText, atMs: number): void {
    this.#bury(source, 'killed', error, charged(source, error, atMs));
  }

  /** Hands the item on to the retries chunk, uncharged: it did not run, or `rerun` says how it has to run again. */
  passOn(source: Source, rerun?: RetryItem['rerun']): void {
    const { retry } = source;
    const line =
      retry && (rerun === undefined || rerun === retry.rerun)
        ? source.text
        : retryLine(source, source.attempts, { notBefore: retry?.notBefore, rerun });
    const dueMs = retry?.notBefore === undefined ? this.#chances.nowMs() : Date.parse(retry.notBefore);
    this.#end(this.slotOf(source), { kind: 'retry', line, ran: false, failed: false, dueMs });
  }

  /** The item did not end before its batch was cancelled. */
  cancel(source: Source): void {
    this.#end(this.slotOf(source), CANCELLED);
  }

  /** Sets how an item ended in a thread that is gone. */
  restore(slot: number, ended: EndedItem): void {
    if (slot >= this.#sources.length || this.#ended.has(slot)) return;
    if (typeof ended !== 'string') {
      this.#end(slot, ended);
      return;
    }
    if (this.#fold !== undefined) this.#unfolded.add(slot);
    this.#ended.succeed(slot, ended);
    this.#advance(slot);
  }

  /** The items that have not ended, in their order; they may end meanwhile. */
  *rest(): Generator<Source> {
    for (let slot = this.#next; slot < this.#sources.length; slot += 1) {
      if (!this.#ended.has(slot)) yield this.#sources.at(slot);
    }
  }

  /** What has ended since the last call; valid until the next item ends. */
  takeFresh(): FreshEnd[] {
    return this.#ended.takeFresh();
  }

  /** The latest failure of an item, on one line; undefined while there is none. */
  latestError(): string | undefined {
    return this.#latestError && storableLine(errorLine(this.#latestError), MAX_FAILURE_CHARS);
  }

  /** The outcome, when every item has ended. With `isCancelled`, what would be tried again is cancelled. */
  encode({ isCancelled = false } = {}): Omit<ChunkOutcome, 'body'> & Pick<EncodedOutcome, 'body'> {
    const partial = this.#fold?.lines() ?? [];
    const { results } = this.#ended;
    const others = isCancelled ? this.#ended.others().map(cancelledIfRetry) : this.#ended.others();
    const retries = linesOf(others, 'retry');
    const dead = linesOf(others, 'dead');
    const cancelled = linesOf(others, 'cancelled').length;
    const counts = {
      items: this.#sources.length,
      succeeded: results.items,
      dead: dead.length,
      cancelled,
      retried: retries.length,
    };
    const causes = new Map<string, number>();
    let dueMs = Number.POSITIVE_INFINITY;
    for (const end of others) {
      if (end.cause !== undefined) countCause(causes, end.cause);
      if (end.dueMs !== undefined) dueMs = Math.min(dueMs, end.dueMs);
    }
    const due = retries.length > 0 ? { dueAt: new Date(dueMs).toISOString() } : {};
    const movedItems = others.filter(({ kind, failed }) => kind === 'retry' && !failed).length;
    const moved = movedItems > 0 ? { moved: movedItems } : {};
    const invalidItems = others.filter(({ cause }) => cause !== undefined && isCauseOf('invalid', cause)).length;
    const invalid = invalidItems > 0 ? { invalid: invalidItems } : {};
    const ending = isCancelled ? 'cancelled' : 'processed';
    const encoded = encodeOutcome(
      { ending, counts, ...due, ...moved, ...invalid },
      { results: { bytes: results.inOrder(), items: results.items }, retries, dead, partial },
    );
    results.release();
    return {
      ...encoded,
      failures: others.filter(({ failed }) => failed).length,
      failure: this.#failure,
      ran: results.items + others.filter((other) => other.ran && !isThrottled(other)).length,
      causes: Object.fromEntries(causes),
    };
  }

  #end(slot: number, ended: OtherEnd): void {
    this.#ended.end(slot, ended);
    this.#advance(slot);
  }

  /** Folds what has waited for the item at `slot` to end. */
  #advance(slot: number): void {
    if (slot !== this.#next) return;
    while (this.#next < this.#sources.length && this.#ended.has(this.#next)) {
      if (this.#unfolded.delete(this.#next)) this.#fold?.add(JSON.parse(this.#ended.results.at(this.#next).toString()));
      this.#next += 1;
    }
  }

  /** Defers an item of which the other side has said that it is too early: that costs no attempt. False for any other failure. */
  #deferredByThrottle(source: Source, thrown: unknown, rerun: RetryItem['rerun']): boolean {
    const seconds = isInstance(thrown, Retry) ? afterOf(thrown) : undefined;
    const nowMs = this.#chances.nowMs();
    if (this.#throttle === undefined || !isDelay(seconds) || nowMs >= this.#throttle.untilMs) return false;
    const afterMs = Math.min(Math.max(seconds, LEAST_AFTER_SECONDS), MAX_DELAY_SECONDS) * 1_000;
    this.#throttle.report(afterMs);
    const dueMs = Math.round(nowMs + afterMs);
    const line = retryLine(source, source.attempts, { notBefore: new Date(dueMs).toISOString(), rerun });
    this.#end(this.slotOf(source), { kind: 'retry', line, ran: true, failed: false, dueMs });
    return true;
  }

  #failAttempt(
    source: Source,
    thrown: unknown,
    { error, attempts, rerun }: { error: ErrorText; attempts: readonly Attempt[]; rerun: RetryItem['rerun'] },
  ): void {
    this.#failure ||= storableLine(errorLine(error), MAX_FAILURE_CHARS);
    this.#latestError = error;
    if (attempts.length >= this.#workload.retry.attempts) {
      this.#bury(source, 'exhausted', error, attempts, { failed: true });
      return;
    }
    const after = isInstance(thrown, Retry) ? afterOf(thrown) : undefined;
    const dueMs =
      this.#chances.nowMs() + retryDelayMs(this.#workload.retry, attempts.length, this.#chances.random(), after);
    const line = retryLine(source, attempts, { notBefore: new Date(dueMs).toISOString(), rerun });
    this.#end(this.slotOf(source), { kind: 'retry', line, ran: true, failed: true, dueMs });
  }

  #bury(
    source: Source,
    reason: DeadReason,
    error: ErrorText,
    attempts: readonly Attempt[],
    { failed = false } = {},
  ): void {
    this.#latestError = error;
    const line = deadLine(source, { reason, error, attempts, version: this.#version });
    const ran = attempts.length > source.attempts.length;
    this.#end(this.slotOf(source), { kind: 'dead', line, ran, failed, cause: causeOf(reason, error) });
  }
}

/** A provider that asks for no wait is called again only after this. */
const LEAST_AFTER_SECONDS = 1;

const isDelay = (seconds: unknown): seconds is number => typeof seconds === 'number' && seconds >= 0;

/** Whatever was thrown, to look at it must not throw. */
function afterOf(thrown: Retry): number | undefined {
  try {
    return thrown.after;
  } catch {
    return undefined;
  }
}

/** Says nothing about the item, nor about how well the other side is. */
const isThrottled = ({ kind, ran, failed }: OtherEnd): boolean => kind === 'retry' && ran && !failed;

const CANCELLED: OtherEnd = { kind: 'cancelled', line: '', ran: false, failed: false };

const cancelledIfRetry = (ended: OtherEnd): OtherEnd =>
  ended.kind === 'retry' ? { ...ended, kind: 'cancelled' } : ended;

const linesOf = (others: readonly OtherEnd[], kind: OtherEnd['kind']): string[] =>
  others.filter((other) => other.kind === kind).map(({ line }) => line);

/** Only an item whose handler ran is charged. */
const charged = (source: Source, error: ErrorText, atMs: number): Attempt[] => [
  ...source.attempts,
  { at: new Date(atMs).toISOString(), error: attemptError(error) },
];
