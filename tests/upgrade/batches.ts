/** The batches that a recording consists of: what each contains, how far it is when the app is killed, and how it must end. */
import { createRandom } from 'functions-local';
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
  /** The numbers of its items without an outcome at that time. */
  left: readonly number[];
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

const all = (given: readonly UpgradeItem[]): number[] => given.map(({ n }) => n);
const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, n) => sum + n, 0);

/** How a batch ends whose items are all done except for the rejected ones. */
export function endOf(given: readonly UpgradeItem[]): End {
  const succeeded = given.filter((item) => item.do !== 'reject').map(({ n }) => n);
  const dead = given.length - succeeded.length;
  return {
    state: dead === 0 ? 'completed' : 'completedWithDeadLetters',
    ...{ succeeded: succeeded.length, dead, count: succeeded.length, sum: sumOf(succeeded) },
  };
}

const plan = (
  name: string,
  { items: given, left, ...rest }: Pick<PlannedBatch, 'items' | 'state'> & { workload?: string; left: number[] },
): PlannedBatch => ({ name, workload: name, items: given, left, end: endOf(given), ...rest });

const RUNNING = items(40, { 3: 'later', 12: 'reject', 37: 'hold' });
const PAUSED = items(30, { 27: 'hold' });
const QUEUED = items(20);
const COLLECTING = items(36);
const REDRIVEN = items(6, { 1: 'reject', 4: 'reject' });
const ENQUEUEING = items(30);
const UPLOADING = padded(50);

/** All batches of a recording, by name. */
export const BATCHES = {
  /** Small, and over. */
  ended: plan('ended', { items: items(10), state: 'completed', left: [] }),
  /** Its dead letters can be redriven. */
  dead: plan('dead', {
    ...{ workload: 'ended', items: items(10, { 2: 'reject', 7: 'reject' }) },
    ...{ state: 'completedWithDeadLetters', left: [] },
  }),
  /** All outcomes are stored, and their result messages wait to be collected. */
  collecting: plan('collecting', { items: COLLECTING, state: 'running', left: [] }),
  /** Six of eight chunks are collected, one with a dead letter. One runs, as does the retry of an item of the other one. */
  running: plan('running', { items: RUNNING, state: 'running', left: [3, 35, 36, 37, 38, 39] }),
  /** Five of six chunks are collected; the last one is running. */
  paused: plan('paused', { items: PAUSED, state: 'paused', left: [25, 26, 27, 28, 29] }),
  /** The wake event is not delivered, so there is no drain. */
  queued: plan('queued', { items: QUEUED, state: 'queued', left: all(QUEUED) }),
  /** Paused before it began: its references wait behind those of the batch above. */
  waiting: plan('waiting', { workload: 'queued', items: QUEUED, state: 'paused', left: all(QUEUED) }),
  /** Two dead letters were corrected and redriven. They wait for a drain. */
  redriven: { ...plan('redriven', { items: REDRIVEN, state: 'queued', left: [1, 4] }), end: endOf(items(6)) },
  /** Accepted, but only two of six references are in the queue. */
  enqueueing: plan('enqueueing', { items: ENQUEUEING, state: 'enqueueing', left: all(ENQUEUEING) }),
  /** Half of the upload has arrived. */
  uploading: plan('uploading', { items: UPLOADING, state: 'uploading', left: all(UPLOADING) }),
} as const satisfies Record<string, PlannedBatch>;
export type BatchName = keyof typeof BATCHES;
