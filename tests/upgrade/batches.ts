/** The batches that a recording consists of: what each contains, how far it is when the app is killed, and how it must end. */
import { createRandom } from 'functions-local';
import { chunkId, redriveChunkId, retryChunkId } from '../../shared/contract/names.ts';
import type { End } from './recording/files.ts';

/** An item of the workloads in app/registry.ts. */
export interface UpgradeItem {
  n: number;
  do?: 'reject' | 'hold' | 'later' | 'wait';
  pad?: string;
}

/** A batch of the recording. */
export interface PlannedBatch {
  name: string;
  workload: string;
  items: readonly UpgradeItem[];
  /** The state in which it is recorded. */
  state: string;
  /** Numbers of the items that a redrive has corrected. */
  corrected?: readonly number[];
  end: End;
}

/** Creates `count` items that behave as `odd` says at their positions, and otherwise succeed. */
const items = (count: number, odd: Record<number, UpgradeItem['do']> = {}): UpgradeItem[] =>
  Array.from({ length: count }, (_, n) => {
    const behaviour = odd[n];
    return behaviour === undefined ? { n } : { n, do: behaviour };
  });

/** Base64 of random bytes: four characters become three bytes, so that a block is staged before the upload is over. */
const PAD_BYTES = 140_000;
function padded(count: number): UpgradeItem[] {
  const random = createRandom(1);
  const pad = (): string => Buffer.from(Array.from({ length: PAD_BYTES }, () => random() * 256)).toString('base64');
  return Array.from({ length: count }, (_, n) => ({ n, pad: pad() }));
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** How a batch ends whose items are all done except for the rejected ones. */
export function endOf(given: readonly UpgradeItem[]): End {
  const succeeded = given.filter((item) => item.do !== 'reject').map(({ n }) => n);
  const dead = given.length - succeeded.length;
  return {
    state: dead === 0 ? 'completed' : 'completedWithDeadLetters',
    ...{ succeeded: succeeded.length, dead, cancelled: 0, count: succeeded.length, sum: sumOf(succeeded) },
  };
}

const plan = (
  name: string,
  { items: given, ...rest }: Pick<PlannedBatch, 'items' | 'state'> & Partial<PlannedBatch>,
): PlannedBatch => ({ name, workload: name, items: given, end: endOf(given), ...rest });

const RUNNING = items(40, { 8: 'reject', 22: 'reject', 37: 'hold' });

/** All batches of a recording, by name. */
export const BATCHES = {
  /** Small, and over. */
  ended: plan('ended', { items: items(10), state: 'completed' }),
  /** Its dead letters can be redriven. */
  dead: plan('dead', {
    ...{ workload: 'ended', items: items(10, { 2: 'reject', 7: 'reject' }), state: 'completedWithDeadLetters' },
  }),
  /** All outcomes are stored, and their result messages wait to be collected; its row does not show that yet. */
  collecting: plan('collecting', { items: items(36), state: 'queued' }),
  /** Small, but for an item whose retry is running in a chunk of its own. */
  retrying: plan('retrying', { items: items(5, { 3: 'later' }), state: 'running' }),
  /** Some of its chunks are collected, others run or wait. Some items are rejected. */
  running: plan('running', { items: RUNNING, state: 'running' }),
  /** Paused while a chunk was running, after others were collected. */
  paused: plan('paused', { items: items(30, { 27: 'hold' }), state: 'paused' }),
  /** The wake event is not delivered, so there is no drain. */
  queued: plan('queued', { items: items(20), state: 'queued' }),
  /** Paused before it began: its references wait behind those of the batch above. */
  waiting: plan('waiting', { workload: 'queued', items: items(20), state: 'paused' }),
  /** Cancelled before it began, but no chunk is cancelled yet. */
  cancelling: plan('cancelling', {
    ...{ workload: 'queued', items: items(20), state: 'cancelling' },
    end: { state: 'cancelled', succeeded: 0, dead: 0, cancelled: 20, count: 0, sum: 0 },
  }),
  /** Two dead letters were corrected and redriven. They wait for a drain. */
  redriven: plan('redriven', {
    ...{ items: items(6, { 1: 'reject', 4: 'reject' }), state: 'queued', corrected: [1, 4], end: endOf(items(6)) },
  }),
  /** Accepted, but only the first references are in the queue. */
  enqueueing: plan('enqueueing', { items: items(30), state: 'enqueueing' }),
  /** Half of the upload has arrived. */
  uploading: plan('uploading', { items: padded(50), state: 'uploading' }),
} as const satisfies Record<string, PlannedBatch>;
export type BatchName = keyof typeof BATCHES;

/** Whether an outcome is stored: `id` is that of a chunk. */
type HasOutcome = (id: string) => boolean;

/**
 * Returns the numbers of the items that must still run, because they have no outcome. Chunks and their retries have the ids of the contract
 * (shared/contract/names.ts).
 */
export function itemsLeft(
  { items, corrected, end }: PlannedBatch,
  chunkItems: number,
  hasOutcome: HasOutcome,
): number[] {
  if (end.state === 'cancelled') return [];
  if (corrected) return hasOutcome(redriveChunkId(1, 0)) ? [] : [...corrected];
  const chunkOf = (position: number, { do: behaviour }: UpgradeItem): string => {
    const first = chunkId(Math.floor(position / chunkItems));
    return behaviour === 'later' ? retryChunkId(first) : first;
  };
  return items.filter((item, position) => !hasOutcome(chunkOf(position, item))).map(({ n }) => n);
}
