import { isIdempotencyKey, MAX_KEY } from '../batches/keys.ts';
import { labelsText } from '../contract/text/labels.ts';
import { Problem } from '../errors.ts';
import type { Registry } from '../workload/registry.ts';
import type { UploadLimits } from './limits.ts';
import { submit } from './submit.ts';
import type { SubmitDeps } from './submit-request.ts';
import { readLabelsOption } from './upload-options.ts';

/** A batch that a function of the app itself submits. */
export interface ItemsRequest {
  workload: string;
  /** The items, in the order of their positions; each becomes JSON. */
  items: Iterable<unknown> | AsyncIterable<unknown>;
  /** 1 to 255 printable ASCII characters. A repeat with the same key and items returns the first batch. */
  key?: string;
  /** Defaults to the lane that the workload chooses. */
  lane?: string;
  labels?: Readonly<Record<string, string>>;
}

/** The batch that was accepted. */
export interface SubmittedBatch {
  id: string;
  /** Number of items. */
  items: number;
}

const encoder = new TextEncoder();

/**
 * Submits items as a batch, as an upload over HTTP does: they are streamed, and limits apply.
 * @throws Problem if the request or an item is invalid; nothing is accepted then
 */
export async function submitItems(
  deps: SubmitDeps & { registry: Registry; settings: UploadLimits },
  { workload: name, items, key, lane, labels = {} }: ItemsRequest,
): Promise<SubmittedBatch> {
  const workload = deps.registry.workload(name);
  if (workload === undefined) throw new Problem('not-found', `No workload is named ${JSON.stringify(name)}.`);
  if (lane !== undefined && !workload.lanes.includes(lane))
    throw new Problem('invalid-parameter', `lane: expected one of ${workload.lanes.join(', ')}, got "${lane}".`);
  if (key !== undefined && !isIdempotencyKey(key))
    throw new Problem('invalid-parameter', `key: expected 1 to ${MAX_KEY} printable ASCII characters.`);
  const { id, accepted } = await submit(deps, {
    ...{ workload, lane, key, labels: readLabelsOption(labelsText(labels), 'labels'), limits: deps.settings },
    ...{ format: 'ndjson', encoding: 'identity', source: { kind: 'http', name: 'function' } },
    body: linesOf(items),
  });
  return { id, items: accepted };
}

/** Characters that are encoded at a time: one piece per item would cost more than its text. */
const PIECE_CHARS = 64 * 1024;

async function* linesOf(items: ItemsRequest['items']): AsyncGenerator<Uint8Array> {
  let text = '';
  for await (const item of items) {
    text += `${textOf(item)}\n`;
    if (text.length < PIECE_CHARS) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}

/** Without this check, an item that JSON cannot express would be a blank line, and be lost. */
function textOf(item: unknown): string {
  const text = JSON.stringify(item) as string | undefined;
  if (text === undefined)
    throw new Problem('malformed-record', `Expected an item that JSON can express, got ${typeof item}.`);
  return text;
}
