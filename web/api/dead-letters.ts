import type { BodyOf } from '../../shared/client/index.ts';
import { api } from './client.ts';
import type { DeadLetterGroups } from './types.ts';

type RedriveBody = Exclude<BodyOf<'POST batches/{id}/dead-letters/redrive'>, string>;
type DiscardBody = Exclude<BodyOf<'POST batches/{id}/dead-letters/discard'>, string>;
/** Selects dead letters of a batch; without any of the fields, all of them. */
export type LetterChoice = Pick<RedriveBody, 'cause' | 'items'>;

/** Fetches the first page of the dead letters of a batch by cause. */
export const fetchGroups = async (id: string, signal: AbortSignal): Promise<DeadLetterGroups> =>
  (await api.json('GET batches/{id}/dead-letters', {
    path: { id },
    query: { format: 'json' },
    signal,
  })) as DeadLetterGroups;

/** Runs dead letters again. Of several requests with the same `key`, only one takes effect, so a repeat is harmless. */
export const redriveLetters = (id: string, body: RedriveBody, key: string) =>
  api.json('POST batches/{id}/dead-letters/redrive', { path: { id }, body, headers: { 'idempotency-key': key } });

/** Discards dead letters permanently. `key`: as for a redrive. */
export const discardLetters = (id: string, body: DiscardBody, key: string) =>
  api.json('POST batches/{id}/dead-letters/discard', { path: { id }, body, headers: { 'idempotency-key': key } });
