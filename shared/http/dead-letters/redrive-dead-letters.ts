import { randomUUID } from 'node:crypto';
import type { HttpRequest, HttpResponseInit } from '@azure/functions';
import { redrive } from '../../commands/redrive/redrive.ts';
import type { Selection } from '../../commands/redrive/select.ts';
import { findTooDeep, MAX_ITEM_NESTING } from '../../contract/text/nesting.ts';
import { Problem } from '../../errors.ts';
import type { FinalizeDeps } from '../../results/finalize.ts';
import { json } from '../edge/answers.ts';
import { exactBodyOf, jsonBodyOf } from '../edge/request/json-body.ts';
import { batchOf, keyOf } from '../edge/request/parameters.ts';
import { discardRequestSchema, redriveRequestSchema } from './schemas.ts';

/** The body may contain corrected items, or the positions of many. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** A patch is merged into each item, possibly a million times. The description in the schema contains this limit, too. */
const MAX_PATCH_CHARS = 64 * 1024;

/** POST batches/{id}/dead-letters/redrive: 202 after the selection is stored and its revision open. */
export async function redriveDeadLetters(deps: FinalizeDeps, request: HttpRequest): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const { body, exact } = await exactBodyOf(request, redriveRequestSchema, MAX_BODY_BYTES);
  const { key, ...checked } = body;
  const hasItems = checked.corrected !== undefined || checked.patch !== undefined;
  const selection = hasItems ? { ...checked, ...itemsIn(exact()) } : checked;
  const answer = await redrive(deps, { batch: row.id, key: keyOf(request) ?? key ?? randomUUID(), selection });
  return accepted(row.id, answer);
}

/**
 * Returns the parts of a valid body that become part of items. Takes them from the exact JSON: the schema drops digits of
 * numbers and a member "__proto__".
 * @throws Problem 'invalid-parameter' for a patch that is too large or nested too deep.
 */
const itemsIn = (body: unknown): Pick<Selection, 'corrected' | 'patch'> => {
  const { corrected, patch } = body as Pick<Selection, 'corrected' | 'patch'>;
  const text = JSON.stringify(patch ?? {});
  if (text.length > MAX_PATCH_CHARS || findTooDeep(text, MAX_ITEM_NESTING) !== undefined)
    throw new Problem(
      'invalid-parameter',
      `The patch must have at most ${MAX_PATCH_CHARS} characters and ${MAX_ITEM_NESTING} levels.`,
    );
  return { ...(corrected === undefined ? {} : { corrected }), ...(patch === undefined ? {} : { patch }) };
};

/** POST batches/{id}/dead-letters/discard: 202 after the revision that counts them as discarded is open. */
export async function discardDeadLetters(deps: FinalizeDeps, request: HttpRequest): Promise<HttpResponseInit> {
  const { row } = await batchOf(request, deps.table);
  const { key, reason, ...choice } = await jsonBodyOf(request, discardRequestSchema, MAX_BODY_BYTES);
  const selection = { ...choice, discard: reason };
  const answer = await redrive(deps, { batch: row.id, key: keyOf(request) ?? key ?? randomUUID(), selection });
  const { batch, revision, redriven: discarded, at } = answer;
  return accepted(row.id, { batch, revision, discarded, at });
}

const accepted = (id: string, answer: object): HttpResponseInit =>
  json(answer, { status: 202, headers: { location: `/api/batches/${id}`, 'retry-after': '1' } });
