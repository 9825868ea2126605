/** Rules that show only in what Azurite answers. */
import { headerOf, type PassingAnswer } from '../call.ts';
import type { Operation } from '../operation.ts';
import type { Request } from '../request.ts';
import type { Refusal } from './refusal.ts';

export interface AnswerRule {
  id: string;
  on: readonly Operation[];
  /** What the service answers instead; undefined: the answer stays. */
  check(request: Request, answer: Omit<PassingAnswer, 'body'>): Refusal | undefined;
}

export const ANSWER_RULES: readonly AnswerRule[] = [
  {
    id: 'dead-pop-receipt',
    on: ['update-message', 'delete-message'],
    check: (_request, { headers }) =>
      headerOf(headers, 'x-ms-error-code') === 'PopReceiptMismatch'
        ? { status: 404, code: 'MessageNotFound', message: 'The specified message does not exist.' }
        : undefined,
  },
  {
    id: 'range-start',
    on: ['get-blob'],
    check: ({ header }, { status, headers }) => {
      const ranged = header('x-ms-range') ?? header('range');
      const empty = status === 206 && headerOf(headers, 'content-length') === '0';
      if (ranged === undefined || !empty) return undefined;
      const size = headerOf(headers, 'content-range')?.split('/')[1] ?? '*';
      return {
        status: 416,
        code: 'InvalidRange',
        message: 'The range specified is invalid for the current size of the resource.',
        headers: ['Content-Range', `bytes */${size}`],
      };
    },
  },
];

/** The refusal that the service would have answered with, else undefined. */
export function answerRefusalOf(request: Request, answer: PassingAnswer): Refusal | undefined {
  for (const { id, on, check } of ANSWER_RULES) {
    const refusal = on.includes(request.operation) ? check(request, answer) : undefined;
    if (refusal !== undefined) return { rule: id, ...refusal };
  }
  return undefined;
}
