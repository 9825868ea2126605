/**
 * Decides whether a batch is suspect: none of its first items fits the schema, so that the file or the schema is probably
 * wrong. The ledger's rows decide. Dead letters are read only for a suspect batch, as examples.
 */
import { type BatchRow, SUSPECT_ITEMS, type Suspect, type SuspectCause } from '../batches/batch-row.ts';
import { topCauses } from '../batches/causes.ts';
import type { ChunkRow } from '../batches/chunk-row.ts';
import { causeOf } from '../contract/cause.ts';
import { CONTAINERS, firstChunkOf, revisionOf } from '../contract/names.ts';
import type { DeadItem } from '../contract/outcome.ts';
import { storableLine } from '../contract/text/text.ts';
import { shortCause } from '../processing/outcome/header-causes.ts';
import type { Services } from '../queues/services.ts';
import { log } from '../telemetry/log.ts';
import { type ChunkFrame, frameOfChunk, readLines } from './chunk-pages.ts';

const MAX_CAUSES = 3;
const MAX_MESSAGE_CHARS = 300;
/** Maximum decoded size of a dead frame that is read for an example: 10,000 typical dead letters. Larger ones are skipped. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;

/**
 * Returns whether a batch whose chunks have all ended is suspect, and the causes; undefined if it is not. `rows` are in
 * chunk order. A batch without dead letters is not suspect, for example one whose dead letters are all discarded. After a
 * redrive, a batch with any succeeded item is not suspect either. A revision in which no item runs (a discard, or a
 * redrive of the report alone) does not change the previous verdict. Reads at most three dead frames; a cause whose frame
 * cannot be read has no example.
 */
export async function findSuspect(
  deps: Pick<Services, 'container'>,
  batch: Pick<BatchRow, 'dead' | 'cancelled'>,
  rows: readonly ChunkRow[],
): Promise<Suspect | undefined> {
  if (batch.dead === 0 || batch.cancelled > 0) return undefined;
  const ran = rows.filter(({ header }) => header?.ending !== 'discarded');
  const revision = revisionOf(ran.at(-1)?.chunk ?? '');
  const present = ran.filter(({ chunk }) => revisionOf(chunk) === revision);
  // File and schema were right for the succeeded items; the redriven ones are those that had failed.
  const hasSucceeded = rows.some(({ header }) => (header?.counts.succeeded ?? 0) > 0);
  if (revision > 0 && hasSucceeded) return undefined;
  if (!beginsInvalid(present)) return undefined;
  const headers = present.map(({ header }) => header);
  const causes = topCauses(headers, MAX_CAUSES).map(([cause, count]) => ({ cause, count }));
  return { causes: await addExamples(deps, causes, present) };
}

/** Returns whether the leading chunks that contain the first items, with their follow-ups, have only invalid items. */
function beginsInvalid(rows: readonly ChunkRow[]): boolean {
  let invalid = 0;
  let last = '';
  for (const { chunk, header } of rows) {
    const first = firstChunkOf(chunk);
    if (invalid >= SUSPECT_ITEMS && first !== last) return true;
    last = first;
    const { succeeded = 0, dead = 0, cancelled = 0 } = header?.counts ?? {};
    const ended = succeeded + dead + cancelled;
    if (ended > (header?.invalid ?? 0)) return false;
    invalid += ended;
  }
  return invalid > 0;
}

async function addExamples(
  deps: Pick<Services, 'container'>,
  causes: readonly SuspectCause[],
  rows: readonly ChunkRow[],
): Promise<SuspectCause[]> {
  const frames = new Map<string, Promise<string[]>>();
  const linesOf = (frame: ChunkFrame): Promise<string[]> => {
    const lines = frames.get(frame.blob) ?? readLines(deps.container(CONTAINERS.results), frame);
    frames.set(frame.blob, lines);
    return lines;
  };
  return Promise.all(
    causes.map(async (each) => {
      const frame = firstFrameWith(each.cause, rows);
      const example = frame && (await tryExample(frame, async () => exampleIn(await linesOf(frame), each.cause)));
      return example === undefined ? each : { ...each, example };
    }),
  );
}

/** A batch must end even if a frame that only an example is read from is unreadable. */
async function tryExample<T>({ row: { batch, chunk } }: ChunkFrame, read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    log.warn('example-not-read', { batch, chunk, error });
    return undefined;
  }
}

function firstFrameWith(cause: string, rows: readonly ChunkRow[]): ChunkFrame | undefined {
  const row = rows.find(({ header }) => Object.hasOwn(header?.causes ?? {}, cause));
  const frame = row && frameOfChunk(row, 'dead');
  return frame && frame.place.bytes <= MAX_FRAME_BYTES ? frame : undefined;
}

function exampleIn(lines: readonly string[], cause: string): SuspectCause['example'] {
  for (const line of lines) {
    const { index, reason, error } = JSON.parse(line) as DeadItem;
    if (shortCause(causeOf(reason, error)) === cause)
      return { position: index, message: storableLine(error.message, MAX_MESSAGE_CHARS) };
  }
  return undefined;
}
