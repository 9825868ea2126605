/** Days in UTC (`yyyy-mm-dd`) that a route answers about; `daysOf` in parameters.ts reads them from a request. */
import { query, type RouteParameter } from './route.ts';

/** Both included. */
export interface Days {
  from: string;
  to: string;
}

/** How many days a request may be about. */
export interface DayBounds {
  /** Without any. */
  fallback: number;
  most: number;
}

const DATE = { type: 'string', format: 'date' };

/** The parameters that `daysOf` reads. */
export const dayParameters = ({ fallback, most }: DayBounds): RouteParameter[] => [
  query('day', 'A date in UTC, in place of `from` and `to`', DATE),
  query('from', `The first day in UTC; default such that there are ${fallback} days`, DATE),
  query('to', `The last day in UTC, at most ${most - 1} days after the first; default today`, DATE),
];
