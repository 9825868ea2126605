/** Hostile inputs: requests that cost their sender little and, without a limit, the instance much. */
import type { ProblemType } from '../../shared/errors.ts';
import type { Answer, Body, Door } from './send.ts';

/** Limits of what an input may cost. */
export interface Bounds {
  /** Until the last answer, or the end of `after`. */
  answerMs: number;
  /** Each answer of the health route meanwhile. Loose, because the machine may have other work. */
  healthMs: number;
  /** Each answer to an honest client meanwhile, who has a small upload checked. */
  honestMs: number;
  /** Peak memory of the app's process, including what it used before the input. */
  peakBytes: number;
}

const SECOND_MS = 1_000;
const MB = 1_000_000;

/** The bounds of an input that has none of its own. */
export const DEFAULT_BOUNDS: Bounds = {
  ...{ answerMs: 60 * SECOND_MS, healthMs: 5 * SECOND_MS, honestMs: 20 * SECOND_MS },
  peakBytes: 1_200 * MB,
};

/** One hostile input. Add it to a list in `inputs/`. */
export interface HostileInput {
  /** Title of its test: what the client does. */
  name: string;
  /** Method and path after `/api/`, or a function that first creates what the request needs, such as a batch. */
  route: string | ((door: Door) => Promise<string>);
  /** Of the request. Defaults to none. */
  headers?: Record<string, string>;
  /** Called for each copy, from 0, before memory and health are watched. Defaults to no body. */
  body?: (copy: number) => Body;
  /** Requests that are sent at the same time; default 1. */
  copies?: number;
  /**
   * The answer to each copy. After any status but 202 the app must have stored nothing; a batch that was accepted is cancelled
   * and deleted.
   */
  expected: { status: number; problem?: ProblemType };
  /** Sends further requests, watched as the first ones, and throws if their answers are wrong. Defaults to none. */
  after?: (door: Door, answers: readonly Answer[]) => Promise<void>;
  /** The bounds that differ from the usual ones. */
  bounds?: Partial<Bounds>;
}
