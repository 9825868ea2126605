import { useRef } from 'preact/hooks';
import { fetchGroups } from '../../api/dead-letters.ts';
import type { ApiError } from '../../api/errors.ts';
import type { BatchView } from '../../api/types.ts';
import { usePolled } from '../../live/use-polled.ts';
import { isFinished } from '../finished.ts';
import { type Groups, groupsOfRow, toGroups } from './groups.ts';

export interface KnownGroups {
  groups: Groups | undefined;
  error: ApiError | undefined;
  /** The newest revision that this page has seen finished. What was read then is valid until the next one finishes. */
  finishedRevision: number | undefined;
}

/** Reads a page of dead letters once each time the batch finishes; in between, the batch's row is sufficient. */
export function useGroups(batch: BatchView): KnownGroups {
  const last = useRef<number | undefined>(undefined);
  const finished = isFinished(batch);
  if (finished) last.current = batch.revision;
  const finishedRevision = last.current;
  const { data, error } = usePolled<{ revision: number; groups: Groups } | null>({
    key: ['dead-letters', batch.id, finishedRevision],
    load: async (signal) =>
      finishedRevision === undefined || batch.counts.dead === 0
        ? null
        : { revision: finishedRevision, groups: toGroups(batch, await fetchGroups(batch.id, signal)) },
    keepPrevious: true,
  });
  if (finished && data?.revision === batch.revision) return { groups: data.groups, error, finishedRevision };
  const isNamed = batch.causes !== undefined;
  if (isNamed || !finished)
    return { groups: isNamed || !data ? groupsOfRow(batch, data?.groups) : data.groups, error, finishedRevision };
  return { groups: data?.groups, error, finishedRevision };
}
