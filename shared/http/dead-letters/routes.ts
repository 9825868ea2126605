import { formats, JSON_TYPE, NDJSON_TYPE, NEXT, query, type Route, STATE, whole } from '../edge/route.ts';
import { deadLetterGroupsSchema, deadLetterListSchema, redriveAnswerSchema, redriveRequestSchema } from './schemas.ts';

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
    name: 'redrive-dead-letters',
    method: 'POST',
    route: 'batches/{id}/dead-letters/redrive',
    audience: 'operator',
    summary:
      'Run dead letters of a finished batch again: all, those of a cause, or named ones, corrected where need be; or make its failed report again',
    parameters: [
      {
        in: 'header',
        name: 'Idempotency-Key',
        description: 'The same key with the same body gives the first answer, and redrives once',
        schema: { type: 'string', minLength: 1, maxLength: 255 },
      },
    ],
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
];
