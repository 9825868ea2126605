/** A rule of the service as a pure function of a request, and common refusals. */

import type { Operation } from '../operation.ts';
import type { Request } from '../request.ts';
import type { ServiceClock } from '../serve-call.ts';
import type { Refusal } from './refusal.ts';

/** `id` identifies the rule's row in README.md. */
export interface Rule {
  id: string;
  /** The operations to which the rule applies. If absent, it applies to all. */
  on?: readonly Operation[];
  /** Returns why the request is refused, or undefined. */
  check(request: Request, clock: ServiceClock): Refusal | undefined;
}

/** Returns the first refusal, in the order of the rules. */
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

/** The refusal of a query parameter outside its range, with the same details as the service. */
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
