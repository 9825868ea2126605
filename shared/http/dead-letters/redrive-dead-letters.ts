import { randomUUID } from 'node:crypto';
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { redrive } from '../../commands/redrive/redrive.ts';
import type { UploadLimits } from '../../intake/limits.ts';
import type { FinalizeDeps } from '../../results/finalize.ts';
import type { Slots } from '../../slots.ts';
import { json } from '../edge/answers.ts';
import { inSlot } from '../edge/in-slot.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { batchOf, keyOf } from '../edge/request/parameters.ts';
import { MAX_POSITIONS_BYTES, redriveBodyOf } from './redrive-body.ts';
import { discardRequestSchema } from './schemas.ts';

/**
 * Maximum number of redrives and discards that a process runs at the same time. A body and its parts need up to 100 MiB, and
 * the selected items are kept in memory until they are stored. Others wait, with their bodies still at the client.
 */
export const MAX_REDRIVES = 2;

export interface RedriveHttp {
  deps: FinalizeDeps;
  settings: Pick<UploadLimits, 'maxRecordBytes'>;
  /** Has MAX_REDRIVES slots, for all requests of the process. */
  slots: Slots;
}

/** POST batches/{id}/dead-letters/redrive: 202 after the selection is stored and its revision open. */
export async function redriveDeadLetters(
  { deps, settings, slots }: RedriveHttp,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const answer = await inSlot(slots, async () => {
    const { key, selection } = await redriveBodyOf(request, settings.maxRecordBytes);
    return redrive(deps, { batch: row.id, key: keyOf(request) ?? key ?? randomUUID(), selection });
  });
  return accepted(row.id, answer);
}

/** POST batches/{id}/dead-letters/discard: 202 after the revision that counts them as discarded is open. */
export async function discardDeadLetters(
  { deps, slots }: Omit<RedriveHttp, 'settings'>,
  request: HttpRequest,
): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const answer = await inSlot(slots, async () => {
    const { key, reason, ...choice } = await jsonBodyOf(request, discardRequestSchema, MAX_POSITIONS_BYTES);
    const selection = { ...choice, discard: reason };
    return redrive(deps, { batch: row.id, key: keyOf(request) ?? key ?? randomUUID(), selection });
  });
  const { batch, revision, redriven: discarded, at } = answer;
  return accepted(row.id, { batch, revision, discarded, at });
}

const accepted = (id: string, answer: object): HttpResponseInit =>
  json(answer, { status: 202, headers: { location: `/api/batches/${id}`, 'retry-after': '1' } });
