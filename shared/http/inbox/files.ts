import type { HttpRequest } from '@azure/functions';
import { deleteRejected, retryRejected } from '../../commands/inbox/rejected-files.ts';
import { CONTAINERS } from '../../contract/names.ts';
import { blobNameFault, isListable } from '../../contract/text/blob-name.ts';
import { isRefused, Problem } from '../../errors.ts';
import {
  findInboxFile,
  INBOX_STATES,
  type InboxFile,
  type InboxFilesDeps,
  type InboxPlace,
  listInboxFiles,
} from '../../intake/inbox/operator/inbox-files.ts';
import { json } from '../edge/answers.ts';
import type { Reads } from '../edge/app.ts';
import { nextLink } from '../edge/links.ts';
import { numberText } from '../edge/notes.ts';
import { jsonBodyOf } from '../edge/request/json-body.ts';
import { oneOf, wholeOf, workloadNameOf } from '../edge/request/parameters.ts';
import { type Handle, query, whole } from '../edge/route.ts';
import { type InboxFileView, type InboxList, inboxRetrySchema } from './schemas.ts';

export const LIMIT = query('limit', 'Maximum number of files per page', whole(1, 200, 50));
const MAX_MARKER = 4_000;

/**
 * GET inbox: the files that wait, are being processed or were rejected; with `?name=` a single file, even if it became a
 * batch.
 */
export const listInbox: Handle<InboxFilesDeps> = async (deps, request) => {
  const name = request.query.get('name');
  if (name !== null) {
    const file = await findInboxFile(deps, inboxName(name));
    return json({ files: file === undefined ? [] : [viewOf(file)] } satisfies InboxList);
  }
  const after = placeOf(request);
  const filter = {
    workload: workloadNameOf(request),
    state: oneOf(request, 'state', INBOX_STATES),
    limit: wholeOf(request, LIMIT),
    after,
  };
  const { files, next } = await listInboxFiles(deps, filter).catch((error: unknown) => {
    // The service refuses a marker that it did not create.
    throw after?.marker !== undefined && isRefused(error) ? invalidPlace(error) : error;
  });
  const list: InboxList = { files: files.map(viewOf) };
  return json(list, { headers: nextLink(request, { after: next && textOf(next) }) });
};

/** POST inbox/retry: moves a rejected file back into the inbox, where the next poll finds it. */
export const retryInboxFile: Handle<Pick<Reads, 'container'>> = async (deps, request) => {
  const { name } = await jsonBodyOf(request, inboxRetrySchema);
  await retryRejected(deps, inboxName(name));
  return json({ name }, { status: 202 });
};

/** DELETE inbox?name=: deletes a rejected file and its reason. */
export const deleteInboxFile: Handle<Pick<Reads, 'container'>> = async (deps, request) => {
  await deleteRejected(deps, inboxName(request.query.get('name') ?? ''));
  return { status: 204 };
};

function viewOf({ workload, lane, ...file }: InboxFile): InboxFileView {
  const view = { ...file, workload: workload ?? null, lane: lane ?? null };
  return { ...view, notes: fileNotes(view) };
}

/** Checks a file name from outside; 400 if it is not a valid blob name. */
function inboxName(name: string): string {
  const fault = blobNameFault(name);
  if (fault === undefined) return name;
  throw new Problem('invalid-parameter', `name must be the name of a file in the inbox; it ${fault}.`);
}

/** Writes `inbox.<marker in base64url>`, or `rejected.<marker>`. An empty marker means the beginning. */
const textOf = ({ container, marker = '' }: InboxPlace): string =>
  `${container === CONTAINERS.inbox ? 'inbox' : 'rejected'}.${Buffer.from(marker, 'utf8').toString('base64url')}`;

function placeOf(request: HttpRequest): InboxPlace | undefined {
  const text = request.query.get('after');
  if (text === null) return undefined;
  const [, where, encoded = ''] = /^(inbox|rejected)\.([\w-]*)$/.exec(text) ?? [];
  if (where === undefined || encoded.length > MAX_MARKER) throw invalidPlace();
  const marker = Buffer.from(encoded, 'base64url').toString('utf8');
  const container = where === 'inbox' ? CONTAINERS.inbox : CONTAINERS.inboxRejected;
  // The service returns a marker in its answer, which nobody could read with such a character in it.
  if (textOf({ container, marker }) !== text || !isListable(marker)) throw invalidPlace();
  return { container, marker: marker || undefined };
}

const invalidPlace = (cause?: unknown): Problem =>
  new Problem('invalid-parameter', 'after must be the value in a link to the next page.', { cause });

/** Maximum number of places of a rejected file that are named. */
const MAX_PLACES = 10;

/** Returns the notes on a file; empty if it waits, and if nothing has read it yet. */
export function fileNotes({ state, ...file }: Omit<InboxFileView, 'notes'>): string[] {
  if (state === 'taking') return readNotes(file);
  return state === 'rejected' ? rejectionNotes(file) : [];
}

function readNotes({ bytes, readBytes, readItems }: Omit<InboxFileView, 'notes' | 'state'>): string[] {
  if (readBytes === undefined || readItems === undefined) return [];
  const percent = Math.min(100, Math.floor((100 * readBytes) / Math.max(1, bytes)));
  return [`${percent} % of ${sizeText(bytes)} read, ${numberText(readItems, 'item')}`];
}

function rejectionNotes({ reason }: Pick<InboxFileView, 'reason'>): string[] {
  if (reason === undefined) return ['the reason was deleted'];
  const { detail, errors } = reason;
  const places = errors
    .slice(0, MAX_PLACES)
    .filter(({ message }) => message === '' || !detail.includes(message))
    .map(({ line, column, message }) => {
      const place = column === undefined ? `line ${line}` : `line ${line}, column ${column}`;
      return message === '' ? `at ${place}` : `at ${place}: ${message}`;
    });
  const more = errors.length > MAX_PLACES ? [`and ${errors.length - MAX_PLACES} more places`] : [];
  return [detail, ...places, ...more];
}

const sizeText = (bytes: number): string =>
  bytes < 100_000 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
