/** Days in UTC (`yyyy-mm-dd`) in requests; `daysOf` in parameters.ts reads them. */
import { query } from './route.ts';

export interface Days {
  from: string;
  to: string;
}

export interface DayBounds {
  /** If the request specifies none. */
  fallback: number;
  most: number;
}

const DATE = { type: 'string', format: 'date' } as const;

/** The parameters that `daysOf` reads. */
export const dayParameters = ({ fallback, most }: DayBounds) =>
  [
    query('day', 'A date in UTC, instead of `from` and `to`', DATE),
    query('from', `The first day in UTC. The default yields ${fallback} days`, DATE),
    query('to', `The last day in UTC, at most ${most - 1} days after the first. Defaults to today`, DATE),
  ] as const;
