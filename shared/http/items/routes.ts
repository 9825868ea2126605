import { z } from 'zod';
import { JSON_TYPE, NEXT, query, type Route, whole } from '../edge/route.ts';
import { foundItemsSchema, ITEM_STATES, itemListSchema, itemSchema } from './schemas.ts';

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
    summary: 'All items with their states; or with `itemId`, where the items with that id are',
    description:
      'A request looks at 200,000 items at most. `itemId` is for a workload that has the option `id`; `state`, `limit` and `results` are without it.',
    parameters: [
      query('itemId', 'The id, as the workload reads it', { type: 'string', minLength: 1, maxLength: 256 }),
      query('from', 'Position to go on from, as in the link to the next page', { type: 'integer', minimum: 0 }),
      query('state', 'Only items in this state', { type: 'string', enum: [...ITEM_STATES] }),
      query('limit', 'Most items of a page', whole(1, 10_000, 1_000)),
      query('results', 'With the result of each item', { type: 'boolean' }),
    ],
    answers: [
      {
        status: 200,
        description: 'The items; or with `itemId` their positions',
        content: { [JSON_TYPE]: z.union([itemListSchema, foundItemsSchema]) },
        headers: NEXT,
      },
    ],
    problems: ['invalid-parameter', 'not-found'],
  },
];
