import type { Attempt, DeadReason } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import type { Workload } from '../../workload/define.ts';
import { Reject, Retry } from '../../workload/errors.ts';
import { causeOf, countCause } from '../outcome/cause.ts';
import { type EncodedOutcome, encodeOutcome } from '../outcome/encode-outcome.ts';
import { attemptError, type ErrorText, InvalidItem, isInstance, toErrorText } from '../outcome/error-text.ts';
import { createFold, type Fold } from '../outcome/fold.ts';
import { deadLine, retryLine, toResultLine } from '../outcome/lines.ts';
import type { Source } from '../sources.ts';
import { retryDelayMs } from './back-off.ts';
import type { ChunkOutcome } from './thread-task.ts';

/** Service time now in milliseconds, and a number in [0, 1) for jitter. */
export interface Chances {
  nowMs: () => number;
  random: () => number;
}

/** Keeps what becomes of each item of one run of a chunk, and makes the outcome of it. Each item is told of once. */
export class OutcomeBuilder {
  readonly #workload: Workload;
  readonly #version: number;
  readonly #chances: Chances;
  readonly #fold: Fold | undefined;
  readonly #results: string[] = [];
  readonly #retries: string[] = [];
  readonly #dead: string[] = [];
  readonly #causes = new Map<string, number>();
  #succeeded: Source[] = [];
  #dueMs = Number.POSITIVE_INFINITY;
  #failures = 0;
  #ran = 0;

  constructor(workload: Workload, reference: Reference, chances: Chances) {
    this.#workload = workload;
    this.#version = reference.version;
    this.#chances = chances;
    this.#fold = createFold(workload.reduce);
  }

  /** Whether this run has brought any item further. */
  get progressed(): boolean {
    return this.#ran > 0 || this.#dead.length > 0;
  }

  /** @throws when the result cannot be written or folded: the item failed, as if its handler had thrown. */
  succeed(source: Source, result: unknown): void {
    const json = toResultLine(result);
    this.#fold?.add(result);
    this.#results.push(json);
    this.#succeeded.push(source);
    this.#ran += 1;
  }

  /** Decides by what was thrown: invalid, rejected, or one attempt charged and then retried or exhausted. */
  fail(source: Source, thrown: unknown, atMs = this.#chances.nowMs()): void {
    const error = toErrorText(thrown);
    if (isInstance(thrown, InvalidItem)) this.#bury(source, 'invalid', error, source.attempts);
    else if (isInstance(thrown, Reject)) this.#bury(source, 'rejected', error, this.#charge(source, error, atMs));
    else this.#failAttempt(source, thrown, this.#charge(source, error, atMs));
  }

  /** The item has ended its thread, and would end the next one. */
  kill(source: Source, error: ErrorText, atMs: number): void {
    this.#bury(source, 'killed', error, this.#charge(source, error, atMs));
  }

  /** Hands the item on to the retries chunk as it came: it did not run. */
  passOn(source: Source): void {
    this.#retries.push(source.retry ? source.text : retryLine(source, source.attempts));
    this.#due(source.retry?.notBefore === undefined ? this.#chances.nowMs() : Date.parse(source.retry.notBefore));
  }

  /** The outcome. Values that cannot be written as JSON fail every item that was folded, as none can be named. */
  encode(): Omit<ChunkOutcome, 'body'> & Pick<EncodedOutcome, 'body'> {
    const partial = this.#partial();
    const counts = {
      items: this.#succeeded.length + this.#dead.length + this.#retries.length,
      succeeded: this.#succeeded.length,
      dead: this.#dead.length,
      cancelled: 0,
      retried: this.#retries.length,
    };
    const due = this.#retries.length > 0 ? { dueAt: new Date(this.#dueMs).toISOString() } : {};
    const lines = { results: this.#results, retries: this.#retries, dead: this.#dead, partial };
    const encoded = encodeOutcome({ ending: 'processed', counts, ...due }, lines);
    return { ...encoded, failures: this.#failures, ran: this.#ran, causes: Object.fromEntries(this.#causes) };
  }

  #partial(): string[] {
    try {
      return this.#fold?.lines() ?? [];
    } catch (error) {
      const folded = this.#succeeded;
      this.#succeeded = [];
      this.#results.length = 0;
      this.#ran -= folded.length;
      for (const source of folded) this.fail(source, error);
      return [];
    }
  }

  /** Only an item whose handler ran is charged. */
  #charge(source: Source, error: ErrorText, atMs: number): Attempt[] {
    this.#ran += 1;
    return [...source.attempts, { at: new Date(atMs).toISOString(), error: attemptError(error) }];
  }

  #failAttempt(source: Source, thrown: unknown, attempts: readonly Attempt[]): void {
    this.#failures += 1;
    if (attempts.length >= this.#workload.retry.attempts)
      this.#bury(source, 'exhausted', toErrorText(thrown), attempts);
    else this.#retry(source, attempts, isInstance(thrown, Retry) ? thrown.after : undefined);
  }

  #bury(source: Source, reason: DeadReason, error: ErrorText, attempts: readonly Attempt[]): void {
    this.#dead.push(deadLine(source, { reason, error, attempts, version: this.#version }));
    countCause(this.#causes, causeOf(reason, error));
  }

  #retry(source: Source, attempts: readonly Attempt[], after: number | undefined): void {
    const notBeforeMs =
      this.#chances.nowMs() + retryDelayMs(this.#workload.retry, attempts.length, this.#chances.random(), after);
    this.#retries.push(retryLine(source, attempts, new Date(notBeforeMs).toISOString()));
    this.#due(notBeforeMs);
  }

  #due(ms: number): void {
    this.#dueMs = Math.min(this.#dueMs, ms);
  }
}
