/** Reads the body of a redrive. It may hold many corrected items: each is read on its own and kept as text, as in an upload. */
import type { HttpRequest } from '@azure/functions';
import type { CorrectedItem, Selection } from '../../commands/redrive/select.ts';
import { parseExact } from '../../contract/text/exact-json.ts';
import type { Patch } from '../../contract/text/merge-patch.ts';
import { findTooDeep, MAX_ITEM_NESTING } from '../../contract/text/nesting.ts';
import { rawElements, rawMembers, valueEnd } from '../../contract/text/raw-json.ts';
import { Problem } from '../../errors.ts';
import { Turns } from '../../turns.ts';
import { acceptBody, bodyText, notJson, parseBody } from '../edge/request/json-body.ts';
import { correctedSchema, MAX_NAMED, redriveRequestSchema } from './schemas.ts';

/** The whole body. Only corrected items can need that much. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;
/** A body without its corrected items, with room for the positions of as many items as it may name. */
export const MAX_POSITIONS_BYTES = 2 * 1024 * 1024;
/** A patch is merged into each item, possibly a million times. The description in the schema contains this limit, too. */
const MAX_PATCH_CHARS = 64 * 1024;
/** Characters of a corrected item's entry besides the item: names, the position, and white space. */
const ENTRY_CHARS = 1_024;

export interface RedriveBody {
  key?: string | undefined;
  selection: Selection;
}

/**
 * Reads `body`, that of a redrive.
 * @throws Problem 'invalid-parameter' for an invalid body, item or patch; 'too-large' for a body over a limit, and for an
 * item over `maxRecordBytes`.
 */
export async function redriveBodyOf(
  request: HttpRequest,
  body: AsyncIterable<Uint8Array>,
  maxRecordBytes: number,
): Promise<RedriveBody> {
  const text = await bodyText(body, MAX_BODY_BYTES);
  const { envelope, corrected } = await takeCorrected(text, maxRecordBytes);
  if (envelope.length > MAX_POSITIONS_BYTES)
    throw new Problem('too-large', `The body without corrected items must be at most ${MAX_POSITIONS_BYTES} bytes.`);
  const { key, corrected: _first, patch, ...checked } = parseBody(envelope, redriveRequestSchema);
  const items = corrected === undefined ? {} : { corrected };
  acceptBody(request, { ...checked, ...items, ...(patch === undefined ? {} : { patch }) });
  return { key, selection: { ...checked, ...items, ...(patch === undefined ? {} : { patch: patchIn(envelope) }) } };
}

/**
 * Takes the corrected items out of a body. Of a repeated field, the last counts, as for JSON.parse. The envelope keeps at most
 * one of the items, so that the schema still checks the presence of the field.
 */
async function takeCorrected(text: string, maxRecordBytes: number) {
  let taken: { envelope: string; corrected?: CorrectedItem[] } = { envelope: text };
  // The schema reports anything else.
  if (!text.trimStart().startsWith('{')) return taken;
  try {
    for (const member of rawMembers(text)) {
      const { name, start } = member;
      if (name !== 'corrected' || text[start] !== '[') continue;
      const { corrected, end } = await correctedAt(text, start, maxRecordBytes);
      member.end = end;
      const one = corrected.length === 0 ? '[]' : '[{"index":0,"item":null}]';
      taken = { envelope: `${text.slice(0, start)}${one}${text.slice(end)}`, corrected };
    }
  } catch (error) {
    throw error instanceof SyntaxError ? notJson() : error;
  }
  return taken;
}

/** Reads the array of corrected items at `start`; `end` is the position after it. */
async function correctedAt(
  text: string,
  start: number,
  maxRecordBytes: number,
): Promise<{ corrected: CorrectedItem[]; end: number }> {
  const turns = new Turns();
  const corrected: CorrectedItem[] = [];
  let last = start;
  try {
    for (const entry of rawElements(text, start, maxRecordBytes + ENTRY_CHARS)) {
      if (corrected.length === MAX_NAMED)
        throw new Problem('invalid-parameter', `corrected must have at most ${MAX_NAMED} items.`);
      corrected.push(correctedIn(text.slice(entry.start, entry.end), corrected.length, maxRecordBytes));
      last = entry.end;
      await turns.next();
    }
  } catch (error) {
    throw error instanceof RangeError ? itemTooLarge(corrected.length, maxRecordBytes) : error;
  }
  return { corrected, end: text.indexOf(']', last) + 1 };
}

/** Reads an entry. The item keeps its text, on one line: JSON has line breaks only between its tokens. */
function correctedIn(entry: string, number: number, maxRecordBytes: number): CorrectedItem {
  const { index } = parseBody(entry, correctedSchema, {
    name: `corrected[${number}]`,
    maxNesting: 1 + MAX_ITEM_NESTING,
  });
  const json = memberIn(entry, 'item').replaceAll(/[\r\n]+/g, ' ');
  if (Buffer.byteLength(json) > maxRecordBytes) throw itemTooLarge(number, maxRecordBytes);
  return { index, json };
}

const itemTooLarge = (number: number, maxRecordBytes: number): Problem =>
  new Problem('too-large', `corrected[${number}]: the item is over ${maxRecordBytes} bytes.`);

/**
 * Returns the patch with all digits of its numbers, and a member "__proto__", which the schema drops.
 * @throws Problem 'invalid-parameter' for a patch that is too large or nested too deep.
 */
function patchIn(envelope: string): Patch {
  const text = memberIn(envelope, 'patch');
  if (text.length <= MAX_PATCH_CHARS && findTooDeep(text, MAX_ITEM_NESTING) === undefined)
    return parseExact(text) as Patch;
  throw new Problem(
    'invalid-parameter',
    `The patch must have at most ${MAX_PATCH_CHARS} characters and ${MAX_ITEM_NESTING} levels.`,
  );
}

function memberIn(text: string, name: string): string {
  let value = '';
  for (const member of rawMembers(text)) {
    member.end = valueEnd(text, member.start);
    if (member.name === name) value = text.slice(member.start, member.end);
  }
  return value;
}
