import { dayParameters } from '../edge/days.ts';
import { formats, JSON_TYPE, NDJSON_TYPE, NEXT, query, type Route, STATE, TEXTS, whole } from '../edge/route.ts';
import { DEAD_LETTER_DAYS } from './list-dead-letters.ts';
import {
  deadLetterGroupsSchema,
  deadLetterListSchema,
  deadLettersOfBatchesSchema,
  discardAnswerSchema,
  discardRequestSchema,
  redriveAnswerSchema,
  redriveRequestSchema,
} from './schemas.ts';

const idempotencyKey = (description: string) =>
  ({
    in: 'header',
    name: 'Idempotency-Key',
    description,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }) as const;

/** The routes of dead letters. */
export const DEAD_LETTER_ROUTES: readonly Route[] = [
  {
    name: 'get-dead-letters',
    method: 'GET',
    route: 'batches/{id}/dead-letters',
    audience: 'client',
    summary: 'Items whose latest outcome is dead: by cause, of one cause, or all',
    parameters: [
      formats('json', 'ndjson'),
      query('cause', 'Items of this cause'),
      query('limit', 'Most items of a page of one cause', whole(1, 1_000, 100)),
      query('after', 'Position to go on after, as in a link to the next page'),
      query('from', 'NDJSON: chunk to go on from'),
    ],
    answers: [
      {
        status: 200,
        description: 'JSON: groups, or with `cause` a page of items. NDJSON: a dead letter a line',
        content: { [JSON_TYPE]: deadLetterGroupsSchema.or(deadLetterListSchema), [NDJSON_TYPE]: 'text' },
        headers: { ...NEXT, ...STATE },
      },
    ],
    problems: ['invalid-parameter', 'not-found'],
  },
  {
    name: 'list-dead-letters',
    method: 'GET',
    route: 'dead-letters',
    audience: 'operator',
    summary: 'Current dead letters of the batches of some days, by cause and workload',
    parameters: [
      ...dayParameters(DEAD_LETTER_DAYS),
      query('workload', 'Only batches of this workload'),
      query('label', 'Only batches with this label, as key=value; may be repeated', TEXTS),
      query('cause', 'Only causes with this text, in any case'),
    ],
    answers: [{ status: 200, description: 'The groups', content: { [JSON_TYPE]: deadLettersOfBatchesSchema } }],
    problems: ['invalid-parameter'],
  },
  {
    name: 'redrive-dead-letters',
    method: 'POST',
    route: 'batches/{id}/dead-letters/redrive',
    audience: 'operator',
    summary:
      'Run dead letters of a finished batch again: all, those of a cause, or named ones, corrected where need be; or make its failed report again',
    parameters: [idempotencyKey('The same key with the same body gives the first answer, and redrives once')],
    body: { [JSON_TYPE]: redriveRequestSchema },
    answers: [
      {
        status: 202,
        description: 'They run again, or the report is made again, in a new revision of the batch',
        content: { [JSON_TYPE]: redriveAnswerSchema },
        headers: { location: 'The batch', 'retry-after': 'Seconds' },
      },
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large', 'idempotency-mismatch'],
  },
  {
    name: 'discard-dead-letters',
    method: 'POST',
    route: 'batches/{id}/dead-letters/discard',
    audience: 'operator',
    summary: 'Discard dead letters of a finished batch permanently: all, those of a cause, or named ones',
    parameters: [idempotencyKey('The same key with the same body gives the first answer, and discards once')],
    body: { [JSON_TYPE]: discardRequestSchema },
    answers: [
      {
        status: 202,
        description: 'They are discarded, in a new revision of the batch, whose report is made again',
        content: { [JSON_TYPE]: discardAnswerSchema },
        headers: { location: 'The batch', 'retry-after': 'Seconds' },
      },
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large', 'idempotency-mismatch'],
  },
];
