import { randomUUID } from 'node:crypto';
import type { HttpResponseInit } from '@azure/functions';
import { redrive } from '../../commands/redrive/redrive.ts';
import type { UploadLimits } from '../../intake/limits.ts';
import type { FinalizeDeps } from '../../results/finalize.ts';
import { json } from '../edge/answers.ts';
import type { BodyPlaces, PlaceLimits } from '../edge/request/body-places.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { batchOf, keyOf } from '../edge/request/parameters.ts';
import { requestBody } from '../edge/request/request-body.ts';
import type { Handle } from '../edge/route.ts';
import { MAX_POSITIONS_BYTES, redriveBodyOf } from './redrive-body.ts';
import { discardRequestSchema } from './schemas.ts';

const MiB = 1024 * 1024;

/**
 * The places for redrives and discards in a process. A body and its parts need up to 100 MiB, and the selected items are kept
 * in memory until they are stored.
 */
export const REDRIVE_PLACES: PlaceLimits = { bodies: 2, arriving: 1, waiting: 100, headBytes: 16 * MiB };

export interface RedriveHttp {
  deps: FinalizeDeps;
  settings: Pick<UploadLimits, 'maxRecordBytes'>;
  places: BodyPlaces;
}

/** POST batches/{id}/dead-letters/redrive: 202 after the selection is stored and its revision open. */
export const redriveDeadLetters: Handle<RedriveHttp> = async ({ deps, settings, places }, request) => {
  const { row } = await batchOf(request, deps.table);
  const answer = await places.read(requestBody(request), async (body) => {
    const { key, selection } = await redriveBodyOf(request, body, settings.maxRecordBytes);
    return redrive(deps, { batch: row.id, key: keyOf(request) ?? key ?? randomUUID(), selection });
  });
  return accepted(row.id, answer);
};

/** POST batches/{id}/dead-letters/discard: 202 after the revision that counts them as discarded is open. */
export const discardDeadLetters: Handle<Omit<RedriveHttp, 'settings'>> = async ({ deps, places }, request) => {
  const { row } = await batchOf(request, deps.table);
  const answer = await places.read(requestBody(request), async (body) => {
    const limits = { maxBytes: MAX_POSITIONS_BYTES, body };
    const { key, reason, ...choice } = await jsonBodyOf(request, discardRequestSchema, limits);
    const selection = { ...choice, discard: reason };
    return redrive(deps, { batch: row.id, key: keyOf(request) ?? key ?? randomUUID(), selection });
  });
  const { batch, revision, redriven: discarded, at } = answer;
  return accepted(row.id, { batch, revision, discarded, at });
};

const accepted = (id: string, answer: object): HttpResponseInit =>
  json(answer, { status: 202, headers: { location: `/api/batches/${id}`, 'retry-after': '1' } });
