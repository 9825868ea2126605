/** Which dead letters a redrive takes up, and with which items. */
import type { BatchRow } from '../../batches/batch-row.ts';
import { causeOf } from '../../contract/cause.ts';
import type { DeadItem } from '../../contract/outcome.ts';
import { Problem } from '../../errors.ts';
import type { Workload } from '../../workload/define.ts';
import { currentDeadLetters, type DeadLetterDeps } from './current-dead.ts';
import { readOriginals } from './read-originals.ts';
import { FrameBuilder, type RedriveFrames } from './redrive-frames.ts';

/**
 * What to redrive: the report alone, or dead letters: the named items and the corrected ones, or those of one cause, or,
 * with none of these, all.
 */
export interface Selection {
  report?: true | undefined;
  cause?: string | undefined;
  items?: readonly number[] | undefined;
  corrected?: readonly { index: number; item?: unknown }[] | undefined;
  ratePerSecond?: number | undefined;
}

/** The frames are held until they are put as one; a selection over this is to be made by cause. */
const MAX_STORED_BYTES = 256 * 1024 * 1024;
/** Headers carry causes cut to this length, and listings may show those. */
const HEADER_CAUSE_CHARS = 120;
const MAX_NAMED = 10;

export interface Selected extends RedriveFrames {
  /** Dead letters that were meant, but whose item nobody can read. They stay. */
  unreadable: number;
}

export interface SelectOptions {
  batch: BatchRow;
  workload: Workload;
  selection: Selection;
  nowMs: number;
}

/**
 * Reads the current dead letters, and makes frames of those that are meant.
 * @throws Problem 'conflict' when a named item is no dead letter, or cannot be read; 'too-large' for too many at once.
 */
export async function select(deps: DeadLetterDeps, options: SelectOptions): Promise<Selected> {
  const { batch, workload, selection, nowMs } = options;
  const choice = choiceOf(selection);
  const builder = new FrameBuilder({ ...workload.chunk, startMs: nowMs, ratePerSecond: selection.ratePerSecond });
  const without: number[] = [];
  for await (const { item, json: stored } of currentDeadLetters(deps, batch)) {
    if (!choice.takes(item)) continue;
    const json = choice.corrected.get(item.index) ?? stored;
    if (json === undefined) without.push(item.index);
    else await add(builder, { index: item.index, json });
  }
  choice.requireAllTaken();
  const unreadable = await addOriginals(deps, batch, { builder, without });
  if (unreadable.length > 0 && choice.isNamed) throw nothingToRun(unreadable);
  await builder.close();
  return { ...builder.made, unreadable: unreadable.length };
}

interface Choice {
  corrected: Map<number, string>;
  isNamed: boolean;
  takes(item: DeadItem): boolean;
  requireAllTaken(): void;
}

function choiceOf({ cause, items = [], corrected = [] }: Selection): Choice {
  const texts = new Map(corrected.map(({ index, item }) => [index, JSON.stringify(item)]));
  const named = new Set([...items, ...texts.keys()]);
  const isNamed = named.size > 0;
  return {
    corrected: texts,
    isNamed,
    takes: (item) => (isNamed ? named.delete(item.index) : cause === undefined || hasCause(item, cause)),
    requireAllTaken: () => {
      if (named.size > 0) throw new Problem('conflict', `No dead letters of this batch: items ${listOf([...named])}.`);
    },
  };
}

/** The cause of a dead letter as listings group by it. */
function hasCause({ reason, error }: DeadItem, cause: string): boolean {
  const own = causeOf(reason, error);
  return own === cause || own.slice(0, HEADER_CAUSE_CHARS) === cause;
}

async function add(builder: FrameBuilder, item: { index: number; json: string }): Promise<void> {
  await builder.add(item);
  if (builder.made.bytes > MAX_STORED_BYTES)
    throw new Problem('too-large', 'The dead letters are too many for one redrive. Redrive them cause by cause.');
}

/** Gives the indices that stay, as their item is nowhere to be read. */
async function addOriginals(
  deps: DeadLetterDeps,
  batch: BatchRow,
  { builder, without }: { builder: FrameBuilder; without: number[] },
): Promise<number[]> {
  const originals = await readOriginals(deps, batch, without);
  for (const [index, json] of originals) await add(builder, { index, json });
  return without.filter((index) => !originals.has(index));
}

const nothingToRun = (indices: number[]): Problem =>
  new Problem('conflict', `The items ${listOf(indices)} cannot be read any more. Send them as corrected items.`);

const listOf = (indices: number[]): string =>
  `${indices.slice(0, MAX_NAMED).join(', ')}${indices.length > MAX_NAMED ? ` and ${indices.length - MAX_NAMED} more` : ''}`;
