import { randomUUID } from 'node:crypto';
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import type { z } from 'zod';
import { redrive } from '../../commands/redrive/redrive.ts';
import type { UploadLimits } from '../../intake/limits.ts';
import type { FinalizeDeps } from '../../results/finalize.ts';
import { json } from '../edge/answers.ts';
import type { App } from '../edge/app.ts';
import type { PlaceLimits } from '../edge/request/body-places.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { batchOf, keyOf } from '../edge/request/parameters.ts';
import { requestBody } from '../edge/request/request-body.ts';
import type { Handle } from '../edge/route.ts';
import { MAX_POSITIONS_BYTES, type RedriveBody, redriveBodyOf } from './redrive-body.ts';
import { type discardAnswerSchema, discardRequestSchema, type redriveAnswerSchema } from './schemas.ts';

const MiB = 1024 * 1024;

/**
 * The places for redrives and discards in a process. A body and its parts need up to 100 MiB, and the selected items are kept
 * in memory until they are stored.
 */
export const REDRIVE_PLACES: PlaceLimits = { bodies: 2, arriving: 1, waiting: 100, headBytes: 16 * MiB };

type RedriveHttp = Pick<App, 'redrivePlaces'> & {
  deps: FinalizeDeps;
  settings: Pick<UploadLimits, 'maxRecordBytes'>;
};

/** POST batches/{id}/dead-letters/redrive: 202 after the selection is stored and its revision open. */
export const redriveDeadLetters: Handle<RedriveHttp> = async (http, request) =>
  accepted(await run(http, request, (body) => redriveBodyOf(request, body, http.settings.maxRecordBytes)));

/** POST batches/{id}/dead-letters/discard: 202 after the revision that counts them as discarded is open. */
export const discardDeadLetters: Handle<Omit<RedriveHttp, 'settings'>> = async (http, request) => {
  const { batch, revision, redriven, at } = await run(http, request, async (body) => {
    const limits = { maxBytes: MAX_POSITIONS_BYTES, body };
    const { key, reason, ...choice } = await jsonBodyOf(request, discardRequestSchema, limits);
    return { key, selection: { ...choice, discard: reason } };
  });
  return accepted({ batch, revision, discarded: redriven, at });
};

async function run(
  { deps, redrivePlaces }: Omit<RedriveHttp, 'settings'>,
  request: HttpRequest,
  read: (body: AsyncIterable<Uint8Array>) => Promise<RedriveBody>,
): ReturnType<typeof redrive> {
  const { row } = await batchOf(request, deps.table);
  return redrivePlaces.read(requestBody(request), async (body) => {
    const { key = randomUUID(), selection } = await read(body);
    return redrive(deps, { batch: row.id, key: keyOf(request) ?? key, selection });
  });
}

const accepted = (answer: z.infer<typeof redriveAnswerSchema | typeof discardAnswerSchema>): HttpResponseInit =>
  json(answer, { status: 202, headers: { location: `/api/batches/${answer.batch}`, 'retry-after': '1' } });
