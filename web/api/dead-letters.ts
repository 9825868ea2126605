import { parseExact } from './exact-json.ts';
import { nextPage, type RequestOptions, request } from './request.ts';
import type { DeadLetter, DeadLetterGroups } from './types.ts';

/** At least the batch, its chunks and one frame. */
const OPERATIONS = 3;

/** The dead letters of a batch by cause. */
export async function fetchGroups(batch: string, options: RequestOptions = {}): Promise<DeadLetterGroups> {
  const answer = await request(`batches/${batch}/dead-letters?format=json`, { ...options, operations: OPERATIONS });
  return parseExact(await answer.text()) as DeadLetterGroups;
}

export interface DeadLetterPage {
  items: DeadLetter[];
  next: URL | undefined;
}

/** The path to the first page of the dead letters of one cause. */
export const causePath = (batch: string, cause: string): string =>
  `batches/${batch}/dead-letters?${new URLSearchParams({ format: 'json', cause, limit: '50' })}`;

/** A page of dead letters of one cause. */
export async function fetchLetters(path: string | URL): Promise<DeadLetterPage> {
  const answer = await request(path, { operations: OPERATIONS });
  const { items } = parseExact(await answer.text()) as { items: DeadLetter[] };
  return { items, next: nextPage(answer) };
}

/** What to redrive; with none of the fields, all. The text of a corrected item is sent as it was typed. */
export interface RedriveChoice {
  cause?: string;
  items?: number[];
  corrected?: { index: number; text: string };
}

/** Runs dead letters again. `key` makes a repeat harmless: of two requests with the same one, one takes effect. */
export const redriveLetters = (batch: string, choice: RedriveChoice, key: string): Promise<{ redriven: number }> =>
  redrive(batch, redriveBody(choice), key);

/** Makes the report of a batch again, which failed: no item runs. */
export const redriveReport = (batch: string, key: string): Promise<{ redriven: number }> =>
  redrive(batch, JSON.stringify({ report: true }), key);

async function redrive(batch: string, body: string, key: string): Promise<{ redriven: number }> {
  const answer = await request(`batches/${batch}/dead-letters/redrive`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body,
    operations: 8,
  });
  return (await answer.json()) as { redriven: number };
}

function redriveBody({ corrected, ...rest }: RedriveChoice): string {
  if (corrected === undefined) return JSON.stringify(rest);
  return `{"corrected":[{"index":${corrected.index},"item":${corrected.text}}]}`;
}
