import type { QueueDetails } from '../api/types.ts';
import { formatClock } from '../format.ts';

/** Describes when an open circuit tries again; undefined for the pause of an operator. */
export function probeText({
  by,
  probeAt,
}: Pick<NonNullable<QueueDetails['paused']>, 'by' | 'probeAt'>): string | undefined {
  if (by === 'operator') return undefined;
  return probeAt === undefined ? 'one task tries the next message' : `one task tries again at ${formatClock(probeAt)}`;
}
