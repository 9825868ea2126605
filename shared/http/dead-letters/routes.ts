import { dayParameters } from '../edge/days.ts';
import {
  formats,
  idempotencyKey,
  JSON_TYPE,
  jsonAnswer,
  NDJSON_TYPE,
  NEXT,
  query,
  type Route,
  STATE,
  TEXTS,
} from '../edge/route.ts';
import { getDeadLetters, LIMIT } from './get-dead-letters.ts';
import { DEAD_LETTER_DAYS, listDeadLetters } from './list-dead-letters.ts';
import { discardDeadLetters, redriveDeadLetters } from './redrive-dead-letters.ts';
import {
  deadLetterGroupsSchema,
  deadLetterListSchema,
  deadLettersOfBatchesSchema,
  discardAnswerSchema,
  discardRequestSchema,
  redriveAnswerSchema,
  redriveRequestSchema,
} from './schemas.ts';

const OPENED = { location: 'URL of the batch', 'retry-after': 'Seconds' };

export const DEAD_LETTER_ROUTES = [
  {
    name: 'get-dead-letters',
    method: 'GET',
    path: 'batches/{id}/dead-letters',
    audience: ['client'],
    summary: 'Items whose latest outcome is dead: grouped by cause, with one cause, or all',
    parameters: [
      formats('json', 'ndjson'),
      query('cause', 'Only items with this cause'),
      LIMIT,
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
    handler: (app) => (request) => getDeadLetters(app.deps(), request),
  },
  {
    name: 'list-dead-letters',
    method: 'GET',
    path: 'dead-letters',
    audience: ['operator'],
    summary: 'Current dead letters of the batches of some days, by cause and workload',
    parameters: [
      ...dayParameters(DEAD_LETTER_DAYS),
      query('workload', 'Only batches of this workload'),
      query('label', 'Only batches with this label, as key=value. May be repeated', TEXTS),
      query('cause', 'Only causes that contain this text; case-insensitive'),
    ],
    answers: [jsonAnswer(200, 'The groups', deadLettersOfBatchesSchema)],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => listDeadLetters(app.deps(), request),
  },
  {
    name: 'redrive-dead-letters',
    method: 'POST',
    path: 'batches/{id}/dead-letters/redrive',
    audience: ['operator'],
    summary:
      'Run dead letters of a finished batch again: all, those with a cause, or selected ones, optionally corrected; or create its failed report again',
    parameters: [
      idempotencyKey('A repetition with the same key and body returns the first answer without another redrive'),
    ],
    body: { [JSON_TYPE]: redriveRequestSchema },
    example: { items: [17, 4_711], patch: { currency: 'USD', discount: null }, ratePerSecond: 100, key: 'usd' },
    answers: [
      jsonAnswer(
        202,
        'The items run again, or the report is created again, in a new revision of the batch',
        redriveAnswerSchema,
        { headers: OPENED },
      ),
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large', 'idempotency-mismatch'],
    wakes: true,
    handler: (app) => (request, drains) => redriveDeadLetters({ ...app, deps: app.requestDeps(drains) }, request),
  },
  {
    name: 'discard-dead-letters',
    method: 'POST',
    path: 'batches/{id}/dead-letters/discard',
    audience: ['operator'],
    summary: 'Discard dead letters of a finished batch permanently: all, those with a cause, or selected ones',
    parameters: [
      idempotencyKey('A repetition with the same key and body returns the first answer without another discard'),
    ],
    body: { [JSON_TYPE]: discardRequestSchema },
    example: { reason: 'orders of the load test', key: 'load-test' },
    answers: [
      jsonAnswer(
        202,
        'The items are discarded in a new revision of the batch, and its report is created again',
        discardAnswerSchema,
        { headers: OPENED },
      ),
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large', 'idempotency-mismatch'],
    wakes: true,
    handler: (app) => (request, drains) => discardDeadLetters({ ...app, deps: app.requestDeps(drains) }, request),
  },
] as const satisfies readonly Route[];
