import { z } from 'zod';
import { lazily } from '../../lazily.ts';
import { json } from '../edge/answers.ts';
import { jsonAnswer, type Route } from '../edge/route.ts';

/** The route of the OpenAPI document. It requires no key, because it returns no data. */
export const OPENAPI_ROUTES = [
  {
    name: 'openapi',
    method: 'GET',
    path: 'openapi.json',
    audience: [],
    summary: 'This document',
    answers: [jsonAnswer(200, 'OpenAPI 3.1', z.record(z.string(), z.unknown()))],
    problems: [],
    handler: (app) => {
      const document = lazily(app.document);
      return () => json(document());
    },
  },
] as const satisfies readonly Route[];
