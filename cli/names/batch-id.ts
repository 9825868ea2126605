/** Resolves batch ids as users type them: in full, or a piece that is unique among the recent batches. */
import { jsonOf } from '../../shared/client/index.ts';
import { batchDate, isBatchId } from '../../shared/contract/names.ts';
import type { BatchEntry } from '../../shared/http/batches/list-batches.ts';
import { CliError, UsageError } from '../process/errors.ts';
import { EXIT } from '../process/exit-codes.ts';
import type { Session } from '../session.ts';
import { formatTable, formatTime } from '../text/format.ts';

/** The names of the arguments that are the id of a batch: their values are passed to `resolveBatchId`. */
export const BATCH_ARGUMENTS: ReadonlySet<string> = new Set(['id', 'batch', 'queue or batch']);

const SHAPE = 'xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx';
/** Fewer characters are probably a typing mistake. */
const MIN_LENGTH = 4;
const MAX_PAGE = 200;
/** Maximum number of batches that are searched for a piece of an id. */
const MAX_SCANNED = 10_000;
const MAX_NAMED = 10;

/** Whether the text can be the beginning or the end of an id. The name of a queue never can. */
export function isPieceOfId(text: string): boolean {
  if (text.length < MIN_LENGTH || text.length >= SHAPE.length) return false;
  return fits(text, SHAPE.slice(0, text.length)) || fits(text, SHAPE.slice(-text.length));
}

const fits = (text: string, shape: string): boolean =>
  [...text].every((char, n) => (shape[n] === '-' ? char === '-' : /[0-9a-f]/.test(char)));

/**
 * Returns the id of the batch of the last seven days that begins or ends with the text. Ids begin with their time, so batches
 * of one day differ at the end. A full id, or a text that cannot be a piece of one, is returned without a request. Throws
 * UsageError if several batches match, and CliError if none does.
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
      hint: 'sluice batches lists the ids; for an older batch, give the full id, which sluice batches --day shows.',
    });
  if (others.length > 0) throw new UsageError(ambiguity(piece, found));
  session.inform(`Batch ${only.id}`);
  return only.id;
}

/**
 * Finds the batches of the last seven days with this piece. Each page starts its seven days at its own first batch, so batches
 * older than the days of the first page are dropped. The search of the app also matches file names and labels.
 */
async function findRecent({ api }: Session, piece: string): Promise<BatchEntry[]> {
  const found: BatchEntry[] = [];
  let seen = 0;
  let oldestDay: string | undefined;
  for await (const answer of api.pages('GET batches', { query: { search: piece, limit: MAX_PAGE } })) {
    const { batches, days, scanned } = await jsonOf(answer);
    const since = oldestDay ?? days.from;
    oldestDay = since;
    const recent = batches.filter(({ id }) => batchDate(id) >= since);
    found.push(...recent.filter(({ id }) => id.startsWith(piece) || id.endsWith(piece)));
    seen += scanned.batches;
    const isBeyond = recent.length < batches.length || (scanned.until ?? since) < since;
    if (seen >= MAX_SCANNED || isBeyond) break;
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
