/** Batch ids as people write them: in full, or a piece that no other recent batch has. */
import { batchDate, isBatchId } from '../../shared/contract/names.ts';
import type { BatchEntry, BatchList } from '../../shared/http/batches/list-schemas.ts';
import { CliError, UsageError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { formatTable, formatTime } from '../text/format.ts';

/** Arguments of commands that are the id of a batch, by name: `resolveBatchId` gets what was given for them. */
export const BATCH_ARGUMENTS: ReadonlySet<string> = new Set(['id', 'batch', 'queue or batch']);

const SHAPE = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
/** Fewer characters are a slip of the hand rather than a choice. */
const MIN_LENGTH = 4;
const MAX_PAGE = 200;
/** Most batches that are searched for a piece of an id. */
const MAX_LOOKED_AT = 10_000;
const MAX_NAMED = 10;

/** Whether the text can be the beginning or the end of an id, and not all of it. No name of a queue is either. */
export function isPieceOfId(text: string): boolean {
  if (text.length < MIN_LENGTH || text.length >= SHAPE.length) return false;
  return fits(text, SHAPE.slice(0, text.length)) || fits(text, SHAPE.slice(-text.length));
}

const fits = (text: string, shape: string): boolean =>
  [...text].every((char, n) => (shape[n] === '-' ? char === '-' : /[0-9a-f]/.test(char)));

/**
 * Returns the id of the batch that is meant: of those of the last seven days the one that begins or ends with the text.
 * Ids begin with their time, so batches of one day differ at the end. A full id, or a text that can be no piece of one, is
 * returned unchanged, without a request. Throws UsageError when several fit, and CliError when none does.
 */
export async function resolveBatchId(session: Session, text: string): Promise<string> {
  const piece = text.toLowerCase();
  if (isBatchId(piece)) return piece;
  if (!isPieceOfId(piece)) return text;
  const found = await findRecent(session, piece);
  const [only, ...others] = found;
  if (only === undefined)
    throw new CliError(`There is no batch of the last seven days whose id begins or ends with "${piece}".`, {
      exitCode: EXIT.notFound,
      hint: 'sluice batches lists them; an older one is found by its full id, which sluice batches --day shows.',
    });
  if (others.length > 0) throw new UsageError(ambiguity(piece, found));
  session.inform(`Batch ${only.id}`);
  return only.id;
}

/**
 * Each further page would begin its seven days at its own first batch: what is older than those of the first is left out.
 * The search of the app also finds file names and labels, and an app of an older version lists all batches.
 */
async function findRecent({ api }: Session, piece: string): Promise<BatchEntry[]> {
  const found: BatchEntry[] = [];
  let seen = 0;
  let oldestDay: string | undefined;
  for await (const answer of api.pages({ path: 'batches', query: { search: piece, limit: MAX_PAGE } })) {
    const { batches, days, lookedAt } = (await answer.json()) as Omit<BatchList, 'lookedAt'> & Partial<BatchList>;
    const since = oldestDay ?? days.from;
    oldestDay = since;
    const recent = batches.filter(({ id }) => batchDate(id) >= since);
    found.push(...recent.filter(({ id }) => id.startsWith(piece) || id.endsWith(piece)));
    seen += lookedAt?.batches ?? batches.length;
    const isBeyond = recent.length < batches.length || (lookedAt?.until ?? since) < since;
    if (seen >= MAX_LOOKED_AT || isBeyond) break;
  }
  return found;
}

function ambiguity(piece: string, found: readonly BatchEntry[]): string {
  const rows = found
    .slice(0, MAX_NAMED)
    .map(({ id, workload, state, createdAt }) => [id, workload, state, formatTime(createdAt)]);
  const more = found.length - rows.length;
  return [
    `"${piece}" is the beginning or the end of several batches:`,
    ...formatTable(rows),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ].join('\n');
}
