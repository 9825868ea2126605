import type { BatchView } from '../../api/types.ts';
import { formatDuration } from '../../format.ts';

export type Revision = BatchView['revisions'][number];

/** The name of a revision: "Upload", "Redrive 2". */
export function revisionName({ kind, revision }: Pick<Revision, 'kind' | 'revision'>): string {
  switch (kind) {
    case 'upload':
      return 'Upload';
    case 'redrive':
      return `Redrive ${revision}`;
    case 'discard':
      return `Discard ${revision}`;
    case 'report':
      return `Report ${revision}`;
    default:
      return kind satisfies never;
  }
}

/** Whether items of a revision have started, or have finished before a start was seen. */
export const hasBegun = ({
  revisions,
  counts,
  progress,
}: Pick<BatchView, 'revisions' | 'counts' | 'progress'>): boolean => {
  const present = revisions.at(-1);
  return (
    progress !== undefined ||
    present === undefined ||
    present.started !== null ||
    present.completed !== null ||
    counts.pending < present.items
  );
};

export interface Verdict {
  text: string;
  tone: 'bad' | 'good' | 'soft';
}

/** Judges the upload by its first completion; later redrives do not change the verdict. Times in milliseconds. */
export function deadlineVerdict(
  { deadline, revisions }: Pick<BatchView, 'deadline' | 'revisions'>,
  nowMs: number,
): Verdict {
  const completed = revisions.find(({ revision }) => revision === 0)?.completed ?? null;
  const spareMs = Date.parse(deadline.at) - (completed === null ? nowMs : Date.parse(completed));
  if (spareMs < 0)
    return { text: `missed, ${formatDuration(-spareMs)} late${completed === null ? ' so far' : ''}`, tone: 'bad' };
  return completed === null
    ? { text: `${formatDuration(spareMs)} left`, tone: 'soft' }
    : { text: `met, ${formatDuration(spareMs)} to spare`, tone: 'good' };
}
