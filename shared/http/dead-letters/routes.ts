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
    summary: 'Items whose latest outcome is dead: grouped by cause, with one cause, or all',
    parameters: [
      formats('json', 'ndjson'),
      query('cause', 'Only items with this cause'),
      query('limit', 'Maximum number of items per page with one cause', whole(1, 1_000, 100)),
      query('after', 'The position to continue after, from a link to the next page'),
      query('from', 'The chunk to continue from, from a link to the next page'),
    ],
    answers: [
      {
        status: 200,
        description: 'A page. JSON: groups, or with `cause` items. NDJSON: one dead letter per line',
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
      query('label', 'Only batches with this label, as key=value. May be repeated', TEXTS),
      query('cause', 'Only causes that contain this text; case-insensitive'),
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
      'Run dead letters of a finished batch again: all, those with a cause, or selected ones, optionally corrected; or create its failed report again',
    parameters: [
      idempotencyKey('A repetition with the same key and body returns the first answer without another redrive'),
    ],
    body: { [JSON_TYPE]: redriveRequestSchema },
    answers: [
      {
        status: 202,
        description: 'The items run again, or the report is created again, in a new revision of the batch',
        content: { [JSON_TYPE]: redriveAnswerSchema },
        headers: { location: 'URL of the batch', 'retry-after': 'Seconds' },
      },
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large', 'idempotency-mismatch'],
  },
  {
    name: 'discard-dead-letters',
    method: 'POST',
    route: 'batches/{id}/dead-letters/discard',
    audience: 'operator',
    summary: 'Discard dead letters of a finished batch permanently: all, those with a cause, or selected ones',
    parameters: [
      idempotencyKey('A repetition with the same key and body returns the first answer without another discard'),
    ],
    body: { [JSON_TYPE]: discardRequestSchema },
    answers: [
      {
        status: 202,
        description: 'The items are discarded in a new revision of the batch, and its report is created again',
        content: { [JSON_TYPE]: discardAnswerSchema },
        headers: { location: 'URL of the batch', 'retry-after': 'Seconds' },
      },
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large', 'idempotency-mismatch'],
  },
];
