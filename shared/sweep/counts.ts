/** The actions of a sweep: its response counts each of them, and all counts of an idle sweep are zero. */
export const SWEEP_ACTIONS = [
  'continued',
  'announced',
  'finalized',
  'cancelled',
  'resent',
  'deleted',
  'closed',
  'missedWakes',
  'wokenByTimer',
  'restarted',
  'takenOver',
  'startFailed',
  'expiredBatches',
  'expiredKeys',
  'expiredActions',
  'purgedDrains',
  'orphanPayloads',
  'failed',
] as const;
export type SweepAction = (typeof SWEEP_ACTIONS)[number];

/** `open` is the number of revisions that were checked. */
export type SweepCounts = Record<SweepAction | 'open', number>;

/** Counts of a sweep that found and did nothing. */
export const noCounts = (): SweepCounts => ({
  open: 0,
  ...(Object.fromEntries(SWEEP_ACTIONS.map((action) => [action, 0])) as Record<SweepAction, number>),
});
