/** A rule of the service as a pure function of a request, and what most of them say. */

import type { Operation } from '../operation.ts';
import type { Request } from '../request.ts';
import type { ServiceClock } from '../serve-call.ts';
import type { Refusal } from './refusal.ts';

/** `id` names the rule's row in README.md. */
export interface Rule {
  id: string;
  /** The operations that it is for; undefined: all. */
  on?: readonly Operation[];
  /** Why the request is refused; undefined: it is not. */
  check(request: Request, clock: ServiceClock): Refusal | undefined;
}

/** The first refusal, by the order of the rules. */
export function refusalOf(rules: readonly Rule[], request: Request, clock: ServiceClock): Refusal | undefined {
  for (const { id, on, check } of rules) {
    if (on !== undefined && !on.includes(request.operation)) continue;
    const refusal = check(request, clock);
    if (refusal !== undefined) return { rule: id, ...refusal };
  }
  return undefined;
}

export const invalidInput = (what: string): Refusal => ({
  status: 400,
  code: 'InvalidInput',
  message: `One of the request inputs is not valid. ${what}`,
});

export const outOfRangeInput = (what: string): Refusal => ({
  status: 400,
  code: 'OutOfRangeInput',
  message: `One of the request inputs is out of range. ${what}`,
});

/** A query parameter beyond its range, with the details that the service gives. */
export const outOfRangeParameter = (name: string, value: string, minimum: number, maximum: number): Refusal => ({
  status: 400,
  code: 'OutOfRangeQueryParameterValue',
  message: 'One of the query parameters specified in the request URI is outside the permissible range.',
  details: {
    QueryParameterName: name,
    QueryParameterValue: value,
    MinimumAllowed: String(minimum),
    MaximumAllowed: String(maximum),
  },
});

export const invalidParameter = (name: string, value: string, reason: string): Refusal => ({
  status: 400,
  code: 'InvalidQueryParameterValue',
  message: 'Value for one of the query parameters specified in the request URI is invalid.',
  details: { QueryParameterName: name, QueryParameterValue: value, Reason: reason },
});

export const bodyTooLarge = (maxLimit: number): Refusal => ({
  status: 413,
  code: 'RequestBodyTooLarge',
  message: 'The request body is too large and exceeds the maximum permissible limit.',
  details: { MaxLimit: String(maxLimit) },
});
