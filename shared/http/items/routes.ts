import { JSON_TYPE, NEXT, query, type Route } from '../edge/route.ts';
import { foundItemsSchema, itemSchema } from './schemas.ts';

/** The routes of single items. */
export const ITEM_ROUTES: readonly Route[] = [
  {
    name: 'get-item',
    method: 'GET',
    route: 'batches/{id}/items/{position}',
    audience: 'client',
    summary: 'One item: the chunks that it ran in, its attempts, and its result or dead letter',
    answers: [{ status: 200, description: 'The item', content: { [JSON_TYPE]: itemSchema } }],
    problems: ['not-found'],
  },
  {
    name: 'find-items',
    method: 'GET',
    route: 'batches/{id}/items',
    audience: 'client',
    summary:
      'Where the items with an id are, for a workload that has the option `id`; looks at 200,000 items per request',
    parameters: [
      query('itemId', 'The id, as the workload reads it', { type: 'string', minLength: 1, maxLength: 256 }),
      query('from', 'Position to go on from, as in the link to the next page', { type: 'integer', minimum: 0 }),
    ],
    answers: [
      { status: 200, description: 'Their positions', content: { [JSON_TYPE]: foundItemsSchema }, headers: NEXT },
    ],
    problems: ['invalid-parameter', 'not-found'],
  },
];
