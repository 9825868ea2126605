/** Reads the parameters of requests. An invalid one becomes a Problem with the expected and the received value. */

import type { HttpRequest } from '@azure/functions';
import { z } from 'zod';
import type { BatchRow, Versioned } from '../../../batches/batch-row.ts';
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

/** A parameter in the query that must be one of `known`, or undefined; 400 for another value. */
export function oneOf<T extends string>(request: HttpRequest, name: string, known: readonly T[]): T | undefined {
  const text = request.query.get(name);
  const value = known.find((each) => each === text);
  if (text === null || value !== undefined) return value;
  throw invalid(name, `one of ${known.join(', ')}`, text);
}

/** Creates the problem of a parameter. */
export const invalid = (name: string, expected: string, got: string): Problem =>
  new Problem('invalid-parameter', `${name} must be ${expected}; got "${got.slice(0, 80)}".`);

type Rule = [isValid: (text: string) => boolean, expected: string];
const BATCH: Rule = [isBatchId, 'a batch id'];
const CHUNK: Rule = [isChunkId, 'a chunk id such as 000012'];
const WORKLOAD: Rule = [isWorkloadName, 'the name of a workload'];
const DATE: Rule = [(text) => z.iso.date().safeParse(text).success, 'a date such as 2026-09-24'];

function textOf(request: HttpRequest, name: string, [isValid, expected]: Rule): string | undefined {
  const text = request.query.get(name);
  if (text === null || isValid(text)) return text ?? undefined;
  throw invalid(name, expected, text);
}

/** A chunk id in the query, or undefined; 400 if it is malformed. */
export const chunkOf = (request: HttpRequest, name: string): string | undefined => textOf(request, name, CHUNK);

/** A batch id in the query, or undefined; 400 if it is malformed. */
export const batchIdOf = (request: HttpRequest, name: string): string | undefined => textOf(request, name, BATCH);

/** `?workload=`, or undefined. Workloads that are no longer deployed are valid, because their batches may still exist. */
export const workloadNameOf = (request: HttpRequest): string | undefined => textOf(request, 'workload', WORKLOAD);

/** `?day=`, or another date parameter, or undefined; 400 if it is not a date. */
export const dayOf = (request: HttpRequest, name = 'day'): string | undefined => textOf(request, name, DATE);

/** The Idempotency-Key header, or undefined; 400 if it is invalid. */
export function keyOf(request: HttpRequest): string | undefined {
  const key = request.headers.get('idempotency-key');
  if (key === null) return undefined;
  if (isIdempotencyKey(key)) return key;
  throw new Problem('invalid-parameter', `Idempotency-Key must be 1 to ${MAX_KEY} printable ASCII characters.`);
}

/** A whole number in the query, as a route declares it. */
interface WholeParameter {
  readonly name: string;
  readonly schema: { readonly minimum: number; readonly maximum?: number; readonly default?: number };
}

/** An integer from the query, or its default, which is 0 if it has none; 400 if it is not within its bounds. */
export function wholeOf(request: HttpRequest, { name, schema }: WholeParameter): number {
  const { minimum, maximum = Number.MAX_SAFE_INTEGER, default: fallback = 0 } = schema;
  const text = request.query.get(name);
  if (text === null) return fallback;
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= minimum && value <= maximum) return value;
  throw invalid(name, `a whole number from ${minimum} to ${maximum}`, text);
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

/** All `?label=key=value`; 400 for an invalid label, and for more than a batch can have. */
export function labelsOf(request: HttpRequest): [key: string, value: string][] {
  const labels = request.query.getAll('label').map((text): [key: string, value: string] => {
    const equals = text.indexOf('=');
    if (equals < 0) throw invalid('label', 'key=value', text);
    return [text.slice(0, equals), text.slice(equals + 1)];
  });
  requireLabels('label', labels);
  return labels;
}

/** Checks labels; 400 for an invalid one, and for more than a batch can have. */
export function requireLabels(name: string, labels: readonly (readonly [key: string, value: string])[]): void {
  const tooMany = labels.length > MAX_LABELS ? `expected at most ${MAX_LABELS}, got ${labels.length}.` : undefined;
  const fault = tooMany ?? labels.map(([key, value]) => labelFault(key, value)).find((each) => each !== undefined);
  if (fault !== undefined) throw new Problem('invalid-parameter', `${name}: ${fault}`);
}

/** Maximum length of a search text: a file name has at most 255 characters, the value of a label 100. */
const MAX_SEARCH = 255;

/** `?search=` without surrounding white space, or undefined; 400 if it is empty or too long. */
export function searchOf(request: HttpRequest): string | undefined {
  const text = request.query.get('search')?.trim();
  if (text === undefined || (text !== '' && text.length <= MAX_SEARCH)) return text;
  throw new Problem('invalid-parameter', `search must have 1 to ${MAX_SEARCH} characters; got ${text.length}.`);
}
