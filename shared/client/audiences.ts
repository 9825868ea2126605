/** The routes that need no key of an operator. Written by `npm run generate` from the table of routes. */
import type { RouteKey } from './types.ts';

export const OPEN_ROUTES: readonly RouteKey[] = [
  'GET dashboard',
  'GET dashboard/{file}',
  'GET health',
  'GET openapi.json',
];

export const CLIENT_ROUTES: readonly RouteKey[] = [
  'GET batches',
  'GET batches/{id}',
  'GET batches/{id}/dead-letters',
  'GET batches/{id}/items',
  'GET batches/{id}/items/{position}',
  'GET batches/{id}/report',
  'GET batches/{id}/results',
  'GET inbox',
  'POST workloads/{workload}/batches',
  'POST workloads/{workload}/batches/from-url',
  'POST workloads/{workload}/try',
];
