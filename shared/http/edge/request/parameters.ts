/** Reads the parameters of requests. An invalid one becomes a Problem with the expected and the received value. */

import type { HttpRequest } from '@azure/functions';
import { BATCH_STATES, type BatchRow, type BatchState, type Versioned } from '../../../batches/batch-row.ts';
import { isIdempotencyKey, MAX_KEY } from '../../../batches/keys.ts';
import { readBatch } from '../../../batches/ledger.ts';
import { isBatchId, isChunkId, isWorkloadName } from '../../../contract/names.ts';
import { labelFault, MAX_LABELS } from '../../../contract/text/labels.ts';
import { addDays, DAY_MS, dateOf } from '../../../days.ts';
import { Problem } from '../../../errors.ts';
import type { Table } from '../../../storage/table.ts';
import type { Workload } from '../../../workload/define.ts';
import type { QueueAddress, Registry } from '../../../workload/registry.ts';
import type { DayBounds, Days } from '../days.ts';

/** The workload in the route; 404 if it is unknown. */
export function workloadOf(request: HttpRequest, registry: Registry): Workload {
  const name = request.params.workload ?? '';
  const workload = registry.workload(name);
  if (workload) return workload;
  const known = registry.workloads.map((each) => each.name).join(', ');
  throw new Problem('not-found', `There is no workload "${name.slice(0, 80)}"; there are: ${known}.`);
}

/** The queue in the route; 404 if it is unknown. */
export function queueAddressOf(request: HttpRequest, registry: Registry): QueueAddress {
  const name = request.params.queue ?? '';
  const address = registry.queue(name);
  if (!address) throw new Problem('not-found', `There is no queue "${name.slice(0, 80)}".`);
  return address;
}

/** The batch in the route; 404 for an unknown and for a malformed id. */
export const batchOf = (request: HttpRequest, table: Table): Promise<Versioned<BatchRow>> =>
  batchBy(request, (id) => readBatch(table, id));

/** Like `batchOf`, but returns the result of `read`. */
export async function batchBy<T>(request: HttpRequest, read: (id: string) => Promise<T | undefined>): Promise<T> {
  const id = request.params.id ?? '';
  const found = isBatchId(id) ? await read(id) : undefined;
  if (!found) throw new Problem('not-found', `There is no batch "${id.slice(0, 80)}".`);
  return found;
}

/** `?lane=`, or undefined; 400 for a lane that the workload does not have. */
export function laneOf(request: HttpRequest, workload: Workload): string | undefined {
  const lane = request.query.get('lane');
  if (lane === null) return undefined;
  if (workload.lanes.includes(lane)) return lane;
  throw new Problem(
    'invalid-parameter',
    `lane must be one of ${workload.lanes.join(', ')}; got "${lane.slice(0, 80)}".`,
  );
}

/** The Idempotency-Key header, or undefined; 400 if it is invalid. */
export function keyOf(request: HttpRequest): string | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (isIdempotencyKey(key)) return key;
  throw new Problem('invalid-parameter', `Idempotency-Key must be 1 to ${MAX_KEY} printable ASCII characters.`);
}

/** An integer from the query within bounds, or `fallback` if it is absent. */
export function wholeOf(
  request: HttpRequest,
  name: string,
  bounds: { min: number; max: number; fallback: number },
): number {
  const text = request.query.get(name);
  if (text === null) return bounds.fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= bounds.min && value <= bounds.max) return value;
  throw new Problem(
    'invalid-parameter',
    `${name} must be a whole number from ${bounds.min} to ${bounds.max}; got "${text.slice(0, 40)}".`,
  );
}

/** A chunk id from the query, or undefined; 400 if it is malformed. */
export function chunkOf(request: HttpRequest, name: string): string | undefined {
  const text = request.query.get(name);
  if (text === null || isChunkId(text)) return text ?? undefined;
  throw new Problem('invalid-parameter', `${name} must be a chunk id such as 000012; got "${text.slice(0, 40)}".`);
}

/** A batch id from the query, or undefined; 400 if it is malformed. */
export function batchIdOf(request: HttpRequest, name: string): string | undefined {
  const text = request.query.get(name);
  if (text === null || isBatchId(text)) return text ?? undefined;
  throw new Problem('invalid-parameter', `${name} must be a batch id; got "${text.slice(0, 40)}".`);
}

/** `?day=`, or another date parameter, or undefined; 400 if it is not a date. */
export function dayOf(request: HttpRequest, name = 'day'): string | undefined {
  const text = request.query.get(name);
  if (text === null) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time) && new Date(time).toISOString().startsWith(text)) return text;
  throw new Problem('invalid-parameter', `${name} must be a date such as 2026-09-24; got "${text.slice(0, 40)}".`);
}

/**
 * The days (UTC, both included) of `?day=`, or from `?from=` to `?to=`. `to` defaults to today, `from` to `fallback` days. 400
 * for days in the wrong order, and for more than `most`.
 */
export function daysOf(request: HttpRequest, { nowMs, fallback, most }: DayBounds & { nowMs: number }): Days {
  const day = dayOf(request);
  if (day !== undefined) return { from: day, to: day };
  const to = dayOf(request, 'to') ?? dateOf(nowMs);
  const from = dayOf(request, 'from') ?? addDays(to, 1 - fallback);
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days >= 1 && days <= most) return { from, to };
  throw new Problem('invalid-parameter', `from and to must include 1 to ${most} days; got ${from} to ${to}.`);
}

/** `?state=`, or undefined; 400 if it is not a state of batches. */
export function stateOf(request: HttpRequest): BatchState | undefined {
  const text = request.query.get('state');
  const state = BATCH_STATES.find((each) => each === text);
  if (text === null || state !== undefined) return state;
  throw new Problem(
    'invalid-parameter',
    `state must be one of ${BATCH_STATES.join(', ')}; got "${text.slice(0, 40)}".`,
  );
}

/** All `?label=key=value`; 400 for an invalid label, and for more than a batch can have. */
export function labelsOf(request: HttpRequest): [key: string, value: string][] {
  const texts = request.query.getAll('label');
  if (texts.length > MAX_LABELS)
    throw new Problem('invalid-parameter', `label may be given at most ${MAX_LABELS} times; got ${texts.length}.`);
  return texts.map((text) => {
    const equals = text.indexOf('=');
    const [key, value] = [text.slice(0, equals), text.slice(equals + 1)];
    if (equals < 0) throw new Problem('invalid-parameter', `label must be key=value; got "${text.slice(0, 80)}".`);
    const fault = labelFault(key, value);
    if (fault !== undefined) throw new Problem('invalid-parameter', `label: ${fault}`);
    return [key, value];
  });
}

/** Maximum length of a search text: a file name has at most 255 characters, the value of a label 100. */
const MAX_SEARCH = 255;

/** `?search=` without surrounding white space, or undefined; 400 if it is empty or too long. */
export function searchOf(request: HttpRequest): string | undefined {
  const text = request.query.get('search')?.trim();
  if (text === undefined || (text !== '' && text.length <= MAX_SEARCH)) return text;
  throw new Problem('invalid-parameter', `search must have 1 to ${MAX_SEARCH} characters; got ${text.length}.`);
}

/** `?workload=`, or undefined. Workloads that are no longer deployed are valid, because their batches may still exist. */
export function workloadNameOf(request: HttpRequest): string | undefined {
  const text = request.query.get('workload');
  if (text === null || isWorkloadName(text)) return text ?? undefined;
  throw new Problem('invalid-parameter', `workload must be the name of a workload; got "${text.slice(0, 80)}".`);
}
