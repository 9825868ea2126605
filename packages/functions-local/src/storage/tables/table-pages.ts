/** Pages of table queries. */
import { type PassingAnswer, type RawHeaders, readBody, withoutHeaders } from '../call.ts';
import { AFTER_EMPTY, type Paging, withQuery } from '../pages.ts';
import type { Request } from '../request.ts';
import { pinsPartition } from './filter.ts';
import { parseForCopy } from './json.ts';

const MAX_PAGE = 1_000;
const NEXT_PARTITION = 'x-ms-continuation-NextPartitionKey';
const NEXT_ROW = 'x-ms-continuation-NextRowKey';
const TOKEN = new Set([NEXT_PARTITION.toLowerCase(), NEXT_ROW.toLowerCase()]);

/** Runs the query, and cuts its answer where the policy requires. */
export async function queryPage(
  request: Request,
  { pages: policy, beginsEmpty }: Paging,
  send: (url: string) => Promise<PassingAnswer>,
): Promise<PassingAnswer> {
  const token = request.query.get('NextPartitionKey');
  if (token === null && beginsEmpty()) return emptyPage(await send(request.head.url));
  const top = Math.min(Number(request.query.get('$top') ?? MAX_PAGE), policy.entities);
  const changes = {
    ...(token === AFTER_EMPTY && { NextPartitionKey: undefined, NextRowKey: undefined }),
    ...(top < Number(request.query.get('$top') ?? MAX_PAGE) && { $top: String(top) }),
  };
  if (!policy.endAtPartition || pinsPartition(request.query.get('$filter') ?? '')) {
    return send(withQuery(request.head.url, changes));
  }
  const { select, added } = withKeys(request.query.get('$select'));
  const answer = await send(withQuery(request.head.url, { ...changes, ...(added.length > 0 && { $select: select }) }));
  return answer.status === 200 ? endAtPartition(answer, added) : answer;
}

/**
 * Adds the keys to $select, since they are needed to find the boundary. They are removed from the answer if the client did
 * not select them.
 */
function withKeys(select: string | null): { select: string; added: string[] } {
  if (select === null || select === '*') return { select: '', added: [] };
  const names = select.split(',').map((name) => name.trim());
  const added = ['PartitionKey', 'RowKey'].filter((name) => !names.includes(name));
  return { select: [...names, ...added].join(','), added };
}

interface Page {
  value: Record<string, unknown>[];
}

async function endAtPartition(answer: PassingAnswer, added: readonly string[]): Promise<PassingAnswer> {
  const body = await readBody(answer.body);
  const page = parseForCopy(body.toString()) as Page;
  const at = boundaryIn(page);
  if (at === undefined && added.length === 0) return { ...answer, body };
  const value = page.value.slice(0, at).map((entity) => without(entity, added));
  const cut = { ...answer, body: Buffer.from(JSON.stringify({ ...page, value })) };
  const next = at === undefined ? undefined : page.value[at];
  return next === undefined ? cut : { ...cut, headers: continuedAt(cut.headers, next) };
}

/**
 * Returns the index in the middle of those where a partition begins, or undefined. Cutting in the middle keeps the number of
 * pages small.
 */
function boundaryIn({ value }: Page): number | undefined {
  const starts = value.flatMap(({ PartitionKey }, at) =>
    at > 0 && value[at - 1]?.PartitionKey !== PartitionKey ? [at] : [],
  );
  return starts[Math.floor(starts.length / 2)];
}

function without(entity: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(entity).filter(([name]) => !names.includes(name)));
}

/** Adds a token in Azurite's format: the keys of the first entity of the next page, in base64. */
function continuedAt(headers: RawHeaders, next: Record<string, unknown>): string[] {
  const token = (key: unknown): string => Buffer.from(String(key)).toString('base64');
  return [...withoutHeaders(headers, TOKEN), NEXT_PARTITION, token(next.PartitionKey), NEXT_ROW, token(next.RowKey)];
}

/** Returns the answer without its entities, with a token that has no row key, which the documentation allows. */
async function emptyPage(answer: PassingAnswer): Promise<PassingAnswer> {
  if (answer.status !== 200) return answer;
  const page = parseForCopy((await readBody(answer.body)).toString()) as Page;
  const headers = [...withoutHeaders(answer.headers, TOKEN), NEXT_PARTITION, AFTER_EMPTY];
  return { ...answer, headers, body: Buffer.from(JSON.stringify({ ...page, value: [] })) };
}
