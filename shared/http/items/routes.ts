import { z } from 'zod';
import { jsonAnswer, NEXT, query, type Route } from '../edge/route.ts';
import { getItem } from './get-item.ts';
import { FROM, getItems, LIMIT } from './list-items.ts';
import { foundItemsSchema, ITEM_STATES, itemListSchema, itemSchema } from './schemas.ts';

export const ITEM_ROUTES = [
  {
    name: 'get-item',
    method: 'GET',
    path: 'batches/{id}/items/{position}',
    audience: ['client'],
    summary: 'One item: the chunks in which it ran, its attempts, and its result or dead letter',
    answers: [
      jsonAnswer(200, 'The item', itemSchema, {
        example: {
          ...{ batch: '01a2043c-7a10-7c51-8f3e-2b9d41c0aa17', position: 1, line: 2, state: 'succeeded' },
          steps: [
            { chunk: '000000', revision: 0, end: 'retried', attempts: 1, error: '503 from the ledger' },
            { chunk: '000000.r1', revision: 0, end: 'succeeded', attempts: 1 },
          ],
          ...{ item: { id: 'b' }, result: { id: 'b', amount: 1 } },
        },
      }),
    ],
    problems: ['not-found'],
    handler: (app) => (request) => getItem(app.deps(), request),
  },
  {
    name: 'find-items',
    method: 'GET',
    path: 'batches/{id}/items',
    audience: ['client'],
    summary: 'All items with their states; with `itemId`, the positions of the items with that id',
    description:
      'A request reads at most 200,000 items. `itemId` requires a workload with the option `id`, and ignores `state`, `limit` and `results`.',
    parameters: [
      query('itemId', 'The id, as returned by the option `id` of the workload', {
        type: 'string',
        minLength: 1,
        maxLength: 256,
      }),
      FROM,
      query('state', 'Only items in this state', { type: 'string', enum: ITEM_STATES }),
      LIMIT,
      query('results', 'Include the result of each item', { type: 'boolean' }),
    ],
    answers: [
      jsonAnswer(200, 'The items; with `itemId`, their positions', z.union([itemListSchema, foundItemsSchema]), {
        headers: NEXT,
      }),
    ],
    problems: ['invalid-parameter', 'not-found'],
    handler: (app) => (request) => getItems(app.deps(), request),
  },
] as const satisfies readonly Route[];
