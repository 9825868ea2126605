import type { JSX } from 'preact';
import { fetchAudit } from '../../api/history.ts';
import type { BatchView } from '../../api/types.ts';
import { AuditTable } from '../../audit/audit-table.tsx';
import { useLook } from '../../live/use-look.ts';

/** As long as the audit log keeps its rows. */
const DAYS = 90;

/** What operators did to a batch; nothing for a key that may not see it. */
export function Actions({ batch: { id, state, revision } }: { batch: BatchView }): JSX.Element | null {
  // Whatever an operator does to a batch changes one of these.
  const looked = useLook({
    key: ['audit', id, state, revision],
    load: (signal) => fetchAudit({ days: DAYS, target: id }, { signal }),
    keepPrevious: true,
  });
  const entries = looked.data?.entries ?? [];
  if (entries.length === 0) return null;
  return (
    <>
      <h2 class="section-title">Actions of operators</h2>
      <AuditTable entries={entries} withTarget={false} />
    </>
  );
}
