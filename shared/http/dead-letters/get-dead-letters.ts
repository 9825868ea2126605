import type { HttpRequest } from '@azure/functions';
import type { BatchRow } from '../../batches/batch-row.ts';
import { chunkRows } from '../../batches/ledger.ts';
import { isChunkId } from '../../contract/names.ts';
import { readAhead } from '../../parallel.ts';
import { hasName } from '../../processing/outcome/header-causes.ts';
import { type ChunkPage, type PageLimits, planPage } from '../../results/chunk-pages.ts';
import type { Stored } from '../edge/app.ts';
import { AHEAD } from '../edge/body.ts';
import { answerFormat, MEDIA_TYPES } from '../edge/formats.ts';
import { nextLink } from '../edge/links.ts';
import { batchOf, chunkOf, invalid, wholeOf } from '../edge/request/parameters.ts';
import { type Answer, type Handle, query, whole } from '../edge/route.ts';
import { type DeadLetterText, deadReader } from './dead-letter-lines.ts';

const MiB = 1024 * 1024;
/** Bounds the memory of an answer to a slow client, as for results. */
const DOWNLOAD = { chunks: 1_000, bytes: 64 * MiB };
/** What is parsed for one answer takes the main thread a quarter of a second in turns. */
const PAGE = { chunks: 250, bytes: 8 * MiB };
export const LIMIT = query('limit', 'Maximum number of items per page with one cause', whole(1, 1_000, 100));

/** `page`: limits of a page of groups or items. Defaults to 250 chunks and 8 MiB. */
type GetDeadLettersHttp = Stored & { page?: PageLimits };

/**
 * GET batches/{id}/dead-letters: the current dead letters grouped by cause; with a cause, its items; as NDJSON, all of them.
 * Each in pages of whole chunks. A dead letter is current if the latest outcome of its item is dead.
 */
export const getDeadLetters: Handle<GetDeadLettersHttp> = async (deps, request) => {
  const { row: batch } = await batchOf(request, deps.table);
  const format = answerFormat(request, ['json', 'ndjson']);
  const cause = request.query.get('cause') ?? undefined;
  const [after, from] = [positionOf(request), chunkOf(request, 'from')];
  const read = await deadReader(deps, batch);
  const headers = { 'sluice-batch-state': batch.state, 'content-type': MEDIA_TYPES[format] };
  const limits = format === 'ndjson' ? DOWNLOAD : (deps.page ?? PAGE);
  const page = await planPage(
    chunkRows(deps.table, batch.id, { state: 'done', first: after?.chunk ?? from }),
    'dead',
    limits,
  );
  const chunks = readAhead(page.frames, AHEAD, read);
  if (format === 'json' && cause !== undefined)
    return itemsPage(request, { batch, chunks, page, cause, after, headers });
  const answer = { headers: { ...headers, ...nextLink(request, { from: page.next, after: [] }) } };
  return format === 'ndjson'
    ? { ...answer, stream: ndjson(chunks, cause) }
    : { ...answer, body: await groupsText(batch, chunks) };
};

interface Selection {
  batch: BatchRow;
  chunks: AsyncIterable<DeadLetterText[]>;
  page: ChunkPage;
  cause: string;
  after: Position | undefined;
  headers: Record<string, string>;
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
  { batch, chunks, page, cause, after, headers }: Selection,
): Promise<Answer> {
  const limit = wholeOf(request, LIMIT);
  const items: DeadLetterText[] = [];
  for await (const letters of chunks) {
    items.push(...letters.filter((letter) => isOf(letter, cause) && isBehind(letter, after)));
    if (items.length > limit) break;
  }
  const shown = items.slice(0, limit);
  const last = items.length > limit ? shown.at(-1) : undefined;
  const next = nextLink(
    request,
    last ? { after: `${last.chunk}:${last.position}`, from: [] } : { from: page.next, after: [] },
  );
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

/**
 * Maximum number of distinct causes. Otherwise a handler that puts free text into its messages would cause an answer of
 * unlimited size.
 */
const MAX_GROUPS = 100;

interface Group {
  cause: string;
  count: number;
  example: DeadLetterText;
}

/** Groups the dead letters of a page by cause, the most frequent first, as JSON text of deadLetterGroupsSchema. */
export async function groupsText(
  { id, dead }: Pick<BatchRow, 'id' | 'dead'>,
  chunks: AsyncIterable<DeadLetterText[]>,
): Promise<string> {
  const groups = new Map<string, Group>();
  let otherCauses = 0;
  for await (const letters of chunks) {
    for (const letter of letters) if (!addTo(groups, letter)) otherCauses += 1;
  }
  const sorted = [...groups.values()].sort((a, b) => b.count - a.count);
  const scanned = otherCauses + sorted.reduce((sum, group) => sum + group.count, 0);
  const head = JSON.stringify({ batch: id, count: dead, scanned, otherCauses });
  return `${head.slice(0, -1)},"groups":[${sorted.map(groupText).join(',')}]}`;
}

function addTo(groups: Map<string, Group>, example: DeadLetterText): boolean {
  const { cause } = example;
  const group = groups.get(cause);
  if (group) group.count += 1;
  else if (groups.size < MAX_GROUPS) groups.set(cause, { cause, count: 1, example });
  else return false;
  return true;
}

function groupText({ cause, count, example }: Group): string {
  const head = JSON.stringify({ cause, reason: example.reason, count });
  return `${head.slice(0, -1)},"example":${example.text}}`;
}
