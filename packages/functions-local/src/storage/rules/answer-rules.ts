/** Rules that depend on Azurite's answer. */
import { headerOf, type PassingAnswer } from '../call.ts';
import type { Operation } from '../operation.ts';
import type { Request } from '../request.ts';
import type { Refusal } from './refusal.ts';

export interface AnswerRule {
  id: string;
  on: readonly Operation[];
  /** Returns the answer of the service instead of Azurite's, or undefined if Azurite's answer is correct. */
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

/** Returns the refusal that the service would have answered with, or undefined. */
export function answerRefusalOf(request: Request, answer: PassingAnswer): Refusal | undefined {
  for (const { id, on, check } of ANSWER_RULES) {
    const refusal = on.includes(request.operation) ? check(request, answer) : undefined;
    if (refusal !== undefined) return { rule: id, ...refusal };
  }
  return undefined;
}
