import { z } from 'zod';
import { lazily } from '../../lazily.ts';
import { json } from '../edge/answers.ts';
import { JSON_TYPE, type Route } from '../edge/route.ts';

/** The route of the OpenAPI document. It requires no key, because it returns no data. */
export const OPENAPI_ROUTES = [
  {
    name: 'openapi',
    method: 'GET',
    path: 'openapi.json',
    audience: [],
    summary: 'This document',
    answers: [{ status: 200, description: 'OpenAPI 3.1', content: { [JSON_TYPE]: z.record(z.string(), z.unknown()) } }],
    problems: [],
    handler: (app) => {
      const document = lazily(app.document);
      return () => json(document());
    },
  },
] as const satisfies readonly Route[];
