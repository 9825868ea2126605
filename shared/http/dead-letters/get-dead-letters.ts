import type { HttpRequest } from '@azure/functions';
import { doneChunks } from '../../batches/done-chunks.ts';
import { isChunkId } from '../../contract/names.ts';
import { Problem } from '../../errors.ts';
import { hasName } from '../../processing/outcome/header-causes.ts';
import { type ChunkFrame, frameOfChunk, planPage, readAhead } from '../../results/chunk-pages.ts';
import type { Answer } from '../edge/answers.ts';
import { answerFormat, MEDIA_TYPES } from '../edge/formats.ts';
import { AHEAD, frameStream } from '../edge/frame-stream.ts';
import { nextLink } from '../edge/links.ts';
import { batchOf, chunkOf, wholeOf } from '../edge/request/parameters.ts';
import { groupsText } from './dead-letter-groups.ts';
import { type DeadLettersHttp, type DeadLetterText, deadReader, type ReadDead } from './dead-letter-lines.ts';

const MiB = 1024 * 1024;
/** Bounds the memory of an answer to a slow client, as for results. */
const PAGE = { chunks: 1_000, bytes: 64 * MiB };
const LIMIT = { min: 1, max: 1_000, fallback: 100 };
const FRAMES_AT_ONCE = 16;

/**
 * GET batches/{id}/dead-letters: the current dead letters grouped by cause; with a cause, a page of its items; as NDJSON, all
 * of them in pages of whole chunks. A dead letter is current if the latest outcome of its item is dead.
 */
export async function getDeadLetters(deps: DeadLettersHttp, request: HttpRequest): Promise<Answer> {
  const { row: batch } = await batchOf(request, deps.table);
  const format = answerFormat(request, ['json', 'ndjson']);
  const cause = request.query.get('cause') ?? undefined;
  const read = await deadReader(deps, batch);
  const state = { 'sluice-batch-state': batch.state };
  if (format === 'ndjson') return download(deps, request, { batch: batch.id, read, cause, headers: state });
  const headers = { ...state, 'content-type': MEDIA_TYPES.json };
  if (cause !== undefined) return itemsPage(deps, request, { batch: batch.id, read, cause, headers });
  return { headers, body: await groupsText(batch.id, lettersFrom(deps, { batch: batch.id, read })) };
}

interface Selection {
  batch: string;
  read: ReadDead;
  cause?: string | undefined;
  headers: Record<string, string>;
}

async function download(
  deps: DeadLettersHttp,
  request: HttpRequest,
  { batch, read, cause, headers }: Selection,
): Promise<Answer> {
  const page = await planPage(doneChunks(deps.table, batch, chunkOf(request, 'from')), 'dead', PAGE);
  const next = nextLink(request, page.next === undefined ? undefined : { from: page.next });
  const stream = frameStream({ frames: page.frames, read }, (chunks) => ndjson(chunks, cause));
  return { headers: { ...headers, 'content-type': MEDIA_TYPES.ndjson, ...next }, stream };
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
 */
async function itemsPage(
  deps: DeadLettersHttp,
  request: HttpRequest,
  { batch, read, cause, headers }: Selection,
): Promise<Answer> {
  const after = positionOf(request);
  const limit = wholeOf(request, 'limit', LIMIT);
  const items: DeadLetterText[] = [];
  for await (const letters of lettersFrom(deps, { batch, read, from: after?.chunk })) {
    items.push(...letters.filter((letter) => isOf(letter, cause) && isBehind(letter, after)));
    if (items.length > limit) break;
  }
  const page = items.slice(0, limit);
  const last = items.length > limit ? page.at(-1) : undefined;
  const next = nextLink(request, last && { after: `${last.chunk}:${last.position}` });
  const head = JSON.stringify({ batch, cause });
  const body = `${head.slice(0, -1)},"items":[${page.map(({ text }) => text).join(',')}]}`;
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
  throw new Problem(
    'invalid-parameter',
    `after must be the value in a link to the next page; got "${text.slice(0, 40)}".`,
  );
}

/** Yields the current dead letters chunk by chunk, from chunk `from` on. Rows are read only as far as necessary. */
async function* lettersFrom(
  deps: DeadLettersHttp,
  { batch, read, from }: { batch: string; read: ReadDead; from?: string | undefined },
): AsyncGenerator<DeadLetterText[]> {
  let frames: ChunkFrame[] = [];
  for await (const row of doneChunks(deps.table, batch, from)) {
    const frame = frameOfChunk(row, 'dead');
    if (!frame || frames.push(frame) < FRAMES_AT_ONCE) continue;
    yield* readAhead(frames, AHEAD, read);
    frames = [];
  }
  yield* readAhead(frames, AHEAD, read);
}
