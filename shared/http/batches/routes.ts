import { BATCH_STATES } from '../../batches/batch-row.ts';
import { JSON_TYPE, jsonAnswer, NEXT, query, type Route, TEXTS } from '../edge/route.ts';
import { pauseRequestSchema, resumeRequestSchema } from '../edge/schemas.ts';
import { cancelOverHttp, deleteOverHttp, pauseOverHttp, resumeOverHttp } from './change-batch.ts';
import { getBatch } from './get-batch.ts';
import { batchListSchema, LIMIT, listBatches } from './list-batches.ts';
import { batchViewSchema, cancelAnswerSchema } from './schemas.ts';

/** The routes of batches, except for those of upload/ and downloads/. */
export const BATCH_ROUTES = [
  {
    name: 'list-batches',
    method: 'GET',
    path: 'batches',
    audience: ['client'],
    summary: 'Batches of a day, or of the last seven days, newest first',
    parameters: [
      query('day', 'A date in UTC', { type: 'string', format: 'date' }),
      LIMIT,
      query('workload', 'Only batches of this workload'),
      query('state', 'Only batches in this state', { type: 'string', enum: BATCH_STATES }),
      query('label', 'Only batches with this label, as key=value. May be repeated', TEXTS),
      query(
        'search',
        'Only batches that contain this text at the start or end of their id, in their file name or in the value of a label',
      ),
      query('after', 'Continue after this batch'),
    ],
    answers: [jsonAnswer(200, 'A page', batchListSchema, { headers: NEXT })],
    problems: ['invalid-parameter'],
    handler: (app) => (request) => listBatches(app.deps(), request),
  },
  {
    name: 'get-batch',
    method: 'GET',
    path: 'batches/{id}',
    audience: ['client'],
    summary: 'State, counts, times, latency and receipt of a batch',
    answers: [jsonAnswer(200, 'The batch', batchViewSchema)],
    problems: ['not-found'],
    handler: (app) => (request) => getBatch({ ...app.deps(), basis: app.basis, links: app.settings.links }, request),
  },
  {
    name: 'cancel-batch',
    method: 'POST',
    path: 'batches/{id}/cancel',
    audience: ['operator'],
    summary:
      'Stop running chunks, keep finished ones, and cancel the rest. If nothing is left to cancel, the batch becomes completed',
    answers: [
      jsonAnswer(200, 'The batch is finished', cancelAnswerSchema),
      jsonAnswer(202, 'The cancellation continues', cancelAnswerSchema),
    ],
    problems: ['not-found', 'conflict'],
    wakes: true,
    handler: (app) => (request, drains) => cancelOverHttp({ deps: app.requestDeps(drains), basis: app.basis }, request),
  },
  {
    name: 'pause-batch',
    method: 'POST',
    path: 'batches/{id}/pause',
    audience: ['operator'],
    summary: 'Start no further chunks of a batch. Running chunks finish',
    body: { [JSON_TYPE]: pauseRequestSchema },
    example: { reason: 'wrong price list' },
    answers: [jsonAnswer(200, 'The batch', batchViewSchema)],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
    handler: (app) => (request) => pauseOverHttp({ deps: app.deps(), basis: app.basis }, request),
  },
  {
    name: 'resume-batch',
    method: 'POST',
    path: 'batches/{id}/resume',
    audience: ['operator'],
    summary: 'End the pause that the body names, whatever its cause, and put the references of the pending chunks',
    body: { [JSON_TYPE]: resumeRequestSchema },
    example: { since: '2026-09-24T08:00:00.000Z' },
    answers: [
      jsonAnswer(200, 'The batch', batchViewSchema),
      jsonAnswer(202, 'The batch is large: the sweep puts the remaining references', batchViewSchema),
    ],
    problems: ['invalid-parameter', 'not-found', 'conflict', 'too-large'],
    wakes: true,
    handler: (app) => (request, drains) => resumeOverHttp({ deps: app.requestDeps(drains), basis: app.basis }, request),
  },
  {
    name: 'delete-batch',
    method: 'DELETE',
    path: 'batches/{id}',
    audience: ['operator'],
    summary: 'Delete a finished batch with all of its stored data',
    answers: [
      { status: 202, description: 'The batch is large: the sweep continues the deletion', content: {} },
      { status: 204, description: 'The batch is deleted', content: {} },
    ],
    problems: ['not-found', 'conflict'],
    wakes: true,
    handler: (app) => (request, drains) => deleteOverHttp(app.requestDeps(drains), request),
  },
] as const satisfies readonly Route[];
