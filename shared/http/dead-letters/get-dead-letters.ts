import type { HttpRequest } from '@azure/functions';
import type { BatchRow } from '../../batches/batch-row.ts';
import { doneChunks } from '../../batches/done-chunks.ts';
import { isChunkId } from '../../contract/names.ts';
import { hasName } from '../../processing/outcome/header-causes.ts';
import { type ChunkPage, type PageLimits, planPage, readAhead } from '../../results/chunk-pages.ts';
import type { Stored } from '../edge/app.ts';
import { answerFormat, MEDIA_TYPES } from '../edge/formats.ts';
import { AHEAD, frameStream } from '../edge/frame-stream.ts';
import { nextLink } from '../edge/links.ts';
import { batchOf, chunkOf, invalid, wholeOf } from '../edge/request/parameters.ts';
import { type Answer, query, whole } from '../edge/route.ts';
import { groupsText } from './dead-letter-groups.ts';
import { type DeadLetterText, deadReader, type ReadDead } from './dead-letter-lines.ts';

const MiB = 1024 * 1024;
/** Bounds the memory of an answer to a slow client, as for results. */
const DOWNLOAD = { chunks: 1_000, bytes: 64 * MiB };
/** What is parsed for one answer takes the main thread a quarter of a second in turns. */
const PAGE = { chunks: 250, bytes: 8 * MiB };
export const LIMIT = query('limit', 'Maximum number of items per page with one cause', whole(1, 1_000, 100));

export interface GetDeadLettersHttp extends Stored {
  /** Limits of a page of groups or items. Defaults to 250 chunks and 8 MiB. */
  page?: PageLimits;
}

/**
 * GET batches/{id}/dead-letters: the current dead letters grouped by cause; with a cause, its items; as NDJSON, all of them.
 * Each in pages of whole chunks. A dead letter is current if the latest outcome of its item is dead.
 */
export async function getDeadLetters(deps: GetDeadLettersHttp, request: HttpRequest): Promise<Answer> {
  const { row: batch } = await batchOf(request, deps.table);
  const format = answerFormat(request, ['json', 'ndjson']);
  const cause = request.query.get('cause') ?? undefined;
  const [after, from] = [positionOf(request), chunkOf(request, 'from')];
  const read = await deadReader(deps, batch);
  const headers = { 'sluice-batch-state': batch.state, 'content-type': MEDIA_TYPES[format] };
  const limits = format === 'ndjson' ? DOWNLOAD : (deps.page ?? PAGE);
  const page = await planPage(doneChunks(deps.table, batch.id, after?.chunk ?? from), 'dead', limits);
  const selection = { batch, read, page, cause, headers };
  if (format === 'ndjson') return download(request, selection);
  if (cause !== undefined) return itemsPage(request, { ...selection, cause, after });
  const next = nextLink(request, nextFrom(page));
  return { headers: { ...headers, ...next }, body: await groupsText(batch, readAhead(page.frames, AHEAD, read)) };
}

interface Selection {
  batch: BatchRow;
  read: ReadDead;
  page: ChunkPage;
  cause?: string | undefined;
  headers: Record<string, string>;
}

/** Changes of the query for the page after this one. */
const nextFrom = ({ next }: ChunkPage): Record<string, string | string[]> | undefined =>
  next === undefined ? undefined : { from: next, after: [] };

function download(request: HttpRequest, { page, read, cause, headers }: Selection): Answer {
  const next = nextLink(request, nextFrom(page));
  const stream = frameStream({ frames: page.frames, read }, (chunks) => ndjson(chunks, cause));
  return { headers: { ...headers, ...next }, stream };
}

async function* ndjson(chunks: AsyncIterable<DeadLetterText[]>, cause: string | undefined): AsyncGenerator<string> {
  for await (const letters of chunks) {
    for (const letter of letters) if (isOf(letter, cause)) yield `${letter.text}\n`;
  }
}

const isOf = (letter: DeadLetterText, cause: string | undefined): boolean =>
  cause === undefined || hasName(letter.cause, cause);

/**
 * Writes the format of deadLetterListSchema. Searches for one letter more than the page, to know whether there is a next page.
 * If the chunks of the page contain fewer, the next page continues behind them.
 */
async function itemsPage(
  request: HttpRequest,
  { batch, read, page, cause, after, headers }: Selection & { after: Position | undefined },
): Promise<Answer> {
  const limit = wholeOf(request, LIMIT);
  const items: DeadLetterText[] = [];
  for await (const letters of readAhead(page.frames, AHEAD, read)) {
    items.push(...letters.filter((letter) => isOf(letter, cause) && isBehind(letter, after)));
    if (items.length > limit) break;
  }
  const shown = items.slice(0, limit);
  const last = items.length > limit ? shown.at(-1) : undefined;
  const next = nextLink(request, last ? { after: `${last.chunk}:${last.position}`, from: [] } : nextFrom(page));
  const head = JSON.stringify({ batch: batch.id, cause });
  const body = `${head.slice(0, -1)},"items":[${shown.map(({ text }) => text).join(',')}]}`;
  return { headers: { ...headers, ...next }, body };
}

interface Position {
  chunk: string;
  position: number;
}

const isBehind = (letter: DeadLetterText, after: Position | undefined): boolean =>
  after === undefined || letter.chunk !== after.chunk || letter.position > after.position;

/** Reads `?after=<chunk>:<line of its frame>`, the format of the links to next pages. */
function positionOf(request: HttpRequest): Position | undefined {
  const text = request.query.get('after');
  if (text === null) return undefined;
  const [, chunk = '', position = ''] = /^([^:]+):(\d{1,9})$/.exec(text) ?? [];
  if (isChunkId(chunk)) return { chunk, position: Number(position) };
  throw invalid('after', 'the value in a link to the next page', text);
}
