import type { BatchRow } from '../../batches/batch-row.ts';
import type { Causes } from '../../batches/causes.ts';
import { causeOf } from '../../contract/cause.ts';
import { MAX_CHUNKS } from '../../contract/names.ts';
import type { DeadItem } from '../../contract/outcome.ts';
import { mergePatch, type Patch } from '../../contract/text/merge-patch.ts';
import { Problem } from '../../errors.ts';
import { hasName, shortCause } from '../../processing/outcome/header-causes.ts';
import { Turns } from '../../turns.ts';
import type { Workload } from '../../workload/define.ts';
import { currentDeadLetters, type DeadLetterDeps } from './current-dead.ts';
import { readOriginals } from './read-originals.ts';
import { FrameBuilder, type RedriveFrames } from './redrive-frames.ts';

/** An item that replaces an uploaded one, as JSON on one line. */
export interface CorrectedItem {
  index: number;
  json: string;
}

/**
 * What to redrive: the report alone, or dead letters. These are the ones in `items` and `corrected`, or those with one
 * cause, or all if none of these is given. `discard` is a reason; if present, they are discarded instead.
 */
export interface Selection {
  report?: true | undefined;
  discard?: string | undefined;
  cause?: string | undefined;
  items?: readonly number[] | undefined;
  corrected?: readonly CorrectedItem[] | undefined;
  /** Applied to each item except the corrected ones. */
  patch?: Patch | undefined;
  ratePerSecond?: number | undefined;
}

/** The frames are kept in memory until they are stored as one blob. A larger selection must be split by cause. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;
const MAX_NAMED = 10;

export interface Selected extends RedriveFrames {
  /** Selected dead letters whose item cannot be read. They stay. */
  unreadable: number;
  causes: Causes;
}

export interface SelectOptions {
  batch: BatchRow;
  workload: Workload;
  selection: Selection;
  nowMs: number;
  isOver?: () => boolean;
}

/**
 * Reads the current dead letters, and creates frames of the selected ones.
 * @throws Problem 'conflict' if an item of the request is no dead letter, or cannot be read;
 * 'too-large' if there are too many at once.
 */
export async function select(deps: DeadLetterDeps, options: SelectOptions): Promise<Selected> {
  const { batch, workload, selection, nowMs, isOver } = options;
  const choice = choiceOf(selection);
  const builder = new FrameBuilder({ ...workload.chunk, startMs: nowMs, ratePerSecond: selection.ratePerSecond });
  const causes = new NamedCauses(batch);
  const without = new Map<number, DeadItem>();
  const turns = new Turns();
  const patched = (json: string | undefined): string | undefined =>
    json === undefined || selection.patch === undefined ? json : mergePatch(json, selection.patch);
  /** Returns false for an item that could not be read. */
  const take = async (item: DeadItem, json: string | undefined): Promise<boolean> => {
    if (json === undefined) return false;
    await add(builder, { index: item.index, json });
    causes.add(item);
    return true;
  };
  for await (const { item, json } of currentDeadLetters(deps, batch, isOver)) {
    await turns.next();
    if (!choice.takes(item)) continue;
    if (!(await take(item, choice.corrected.get(item.index) ?? patched(json)))) without.set(item.index, item);
  }
  choice.requireAllTaken();
  const originals = await readOriginals(deps, batch, [...without.keys()]);
  const unreadable: number[] = [];
  for (const [index, item] of without) if (!(await take(item, patched(originals.get(index))))) unreadable.push(index);
  if (unreadable.length > 0 && choice.isNamed) throw nothingToRun(unreadable);
  await builder.close();
  return { ...builder.made, unreadable: unreadable.length, causes: causes.counts };
}

/** Creates the choice of a request: the dead letters that it selects. `takes` is called once for each current one. */
export function choiceOf({ cause, items = [], corrected = [] }: Selection) {
  const texts = new Map(corrected.map(({ index, json }) => [index, json]));
  const named = new Set([...items, ...texts.keys()]);
  const isNamed = named.size > 0;
  return {
    corrected: texts,
    isNamed,
    takes: (item: DeadItem): boolean =>
      isNamed ? named.delete(item.index) : cause === undefined || hasName(causeOf(item.reason, item.error), cause),
    requireAllTaken: (): void => {
      if (named.size > 0)
        throw new Problem('conflict', `These items are not dead letters of this batch: ${listOf([...named])}.`);
    },
  };
}

async function add(builder: FrameBuilder, item: { index: number; json: string }): Promise<void> {
  await builder.add(item);
  if (builder.made.bytes > MAX_STORED_BYTES || builder.made.chunks.length > MAX_CHUNKS)
    throw new Problem(
      'too-large',
      'There are too many dead letters for one redrive. Redrive them one cause at a time.',
    );
}

const nothingToRun = (indices: number[]): Problem =>
  new Problem('conflict', `The items ${listOf(indices)} can no longer be read. Send them as corrected items.`);

const listOf = (indices: number[]): string =>
  `${indices.slice(0, MAX_NAMED).join(', ')}${indices.length > MAX_NAMED ? ` and ${indices.length - MAX_NAMED} more` : ''}`;

/** Counts the dead letters that a redrive takes by cause, for the causes that the batch row contains. */
export class NamedCauses {
  readonly counts: Record<string, number> = {};
  readonly #named: ReadonlySet<string>;

  constructor({ causes = {} }: Pick<BatchRow, 'causes'>) {
    this.#named = new Set(Object.keys(causes));
  }

  add({ reason, error }: Pick<DeadItem, 'reason' | 'error'>): void {
    const cause = shortCause(causeOf(reason, error));
    if (this.#named.has(cause)) this.counts[cause] = (this.counts[cause] ?? 0) + 1;
  }
}
