import { CONTAINERS } from '../../../contract/names.ts';
import { inParallel } from '../../../parallel.ts';
import { isMoved } from '../inbox-move.ts';
import { readReason, reasonName } from '../rejection-reason.ts';
import { type InboxFilesDeps, listPage } from './inbox-files.ts';

/** A rejected file and the title of its reason, empty if the reason was removed. `since` is the time of the rejection. */
export interface RejectedFile {
  name: string;
  since: string;
  title: string;
}

/** Blobs of a page; half of them are reasons. A full service page has 5,000, which takes a second to read. */
const PAGE = 1_000;
const FIRST_PAGE = { container: CONTAINERS.inboxRejected, marker: undefined, limit: PAGE };
const SHOWN = 5;

/** Counts the rejected files of one page and describes the latest ones: one list operation and at most five reads. */
export async function summarizeRejected(
  deps: Pick<InboxFilesDeps, 'container'>,
): Promise<{ count: number; files: RejectedFile[] }> {
  const { blobs } = await listPage(deps, { workload: undefined, state: 'rejected' }, FIRST_PAGE);
  const rejected = deps.container(CONTAINERS.inboxRejected);
  const moved = blobs.filter(({ metadata }) => isMoved(metadata));
  const latest = moved
    .map(({ name, properties }) => ({ name, since: properties.lastModified.toISOString() }))
    .sort((a, b) => (a.since > b.since ? -1 : 1))
    .slice(0, SHOWN);
  const files = await inParallel(latest, SHOWN, async (file) => {
    const reason = await readReason(rejected.getBlobClient(reasonName(file.name)));
    return { ...file, title: reason?.title ?? '' };
  });
  return { count: moved.length, files };
}
