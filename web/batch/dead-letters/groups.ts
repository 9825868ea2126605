import type { BatchView, DeadLetterGroup, DeadLetterGroups } from '../../api/types.ts';

/** Dead letters of one cause, as far as they are known: the batch's row names causes and counts alone. */
export type Group = Pick<DeadLetterGroup, 'cause' | 'count'> & Partial<Pick<DeadLetterGroup, 'reason' | 'example'>>;

/** The dead letters of a batch by cause. */
export interface Groups {
  groups: readonly Group[];
  count: number;
  otherCauses: number;
}

/** Rows cut a cause to this length. */
const ROW_CAUSE_CHARS = 120;

/** What a cause is known by, however long the text of it is. */
export const causeKey = (cause: string): string => cause.slice(0, ROW_CAUSE_CHARS);

/** What the row of a batch says of its dead letters. */
type Row = Pick<BatchView, 'causes'> & { counts: Pick<BatchView['counts'], 'dead'> };

/**
 * The groups of a batch that is under way, by its row, which the page looks at anyway: to read them from the outcomes of
 * all chunks at each change would cost a read per chunk. `known`: what was read when it had last finished.
 */
export function groupsOfRow({ causes = {}, counts }: Row, known: Groups | undefined): Groups {
  const before = new Map(known?.groups.map((group) => [causeKey(group.cause), group]));
  const groups = Object.entries(causes)
    .map(([cause, count]) => ({ ...(before.get(causeKey(cause)) ?? { cause }), count }))
    .sort((a, b) => b.count - a.count);
  const named = groups.reduce((sum, { count }) => sum + count, 0);
  return { groups, count: counts.dead, otherCauses: Math.max(0, counts.dead - named) };
}

/** What was read of all chunks, exact. */
export const toGroups = ({ groups, count, otherCauses }: DeadLetterGroups): Groups => ({ groups, count, otherCauses });
