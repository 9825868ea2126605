import type { BatchView, DeadLetterGroup, DeadLetterGroups } from '../../api/types.ts';

/** Dead letters of one cause, as far as known: the batch's row contains only causes and counts. */
export type Group = Pick<DeadLetterGroup, 'cause' | 'count'> & Partial<Pick<DeadLetterGroup, 'reason' | 'example'>>;

export interface Groups {
  groups: readonly Group[];
  count: number;
  otherCauses: number;
}

/** The rows cut a cause to this length. */
const ROW_CAUSE_CHARS = 120;

/** Returns the key of a cause, independent of the length of its text. */
export const causeKey = (cause: string): string => cause.slice(0, ROW_CAUSE_CHARS);

/** The part of a batch's row about its dead letters. */
type Row = Pick<BatchView, 'causes'> & { counts: Pick<BatchView['counts'], 'dead'> };

/**
 * Builds the groups of a running batch from its row, which the page fetches anyway. Reading them from the outcomes at
 * each change would cost one read per chunk. `known` contains the groups that were read when the batch last finished.
 */
export function groupsOfRow({ causes = {}, counts }: Row, known: Groups | undefined): Groups {
  const before = new Map(known?.groups.map((group) => [causeKey(group.cause), group]));
  const groups = Object.entries(causes)
    .map(([cause, count]) => ({ ...(before.get(causeKey(cause)) ?? { cause }), count }))
    .sort((a, b) => b.count - a.count);
  const named = groups.reduce((sum, { count }) => sum + count, 0);
  return { groups, count: counts.dead, otherCauses: Math.max(0, counts.dead - named) };
}

/** Converts the first page of groups: exact if it is the only one, otherwise the counts of the row with the examples of the page. */
export function toGroups(row: Row, { groups, count, scanned, otherCauses }: DeadLetterGroups): Groups {
  const others = otherCauses + Math.max(0, count - scanned);
  const read = { groups, count, otherCauses: others };
  return scanned >= count || row.causes === undefined ? read : groupsOfRow(row, read);
}
