import { z } from 'zod';
import { JSON_TYPE, type Route } from '../edge/route.ts';

/** The route of the OpenAPI document. It requires no key, because it returns no data. */
export const OPENAPI_ROUTES: readonly Route[] = [
  {
    name: 'openapi',
    method: 'GET',
    route: 'openapi.json',
    audience: 'anyone',
    summary: 'This document',
    answers: [{ status: 200, description: 'OpenAPI 3.1', content: { [JSON_TYPE]: z.record(z.string(), z.unknown()) } }],
    problems: [],
  },
];
