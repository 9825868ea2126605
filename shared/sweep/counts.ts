/** What a sweep can do, by name: its answer counts each, and an idle sweep is all zeros. */
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

/** `open` is how many revisions of batches were looked at. */
export type SweepCounts = Record<SweepAction | 'open', number>;

/** Nothing found, nothing done. */
export const noCounts = (): SweepCounts => ({
  open: 0,
  ...(Object.fromEntries(SWEEP_ACTIONS.map((action) => [action, 0])) as Record<SweepAction, number>),
});
