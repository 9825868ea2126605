import type { JSX } from 'preact';
import { api } from '../../api/client.ts';
import { lastDays } from '../../api/last-days.ts';
import type { BatchView } from '../../api/types.ts';
import { AuditTable } from '../../audit/audit-table.tsx';
import { usePolled } from '../../live/use-polled.ts';

/** The retention of the audit log. */
const DAYS = 90;

/** The actions of operators on a batch; empty if the key may not read them. */
export function Actions({ batch: { id, state, revision } }: { batch: BatchView }): JSX.Element | null {
  // Each action of an operator on a batch changes one of these values.
  const polled = usePolled({
    key: ['audit', id, state, revision],
    load: (signal) => api.json('GET audit', { query: { ...lastDays(DAYS), target: id }, signal }),
    keepPrevious: true,
  });
  const entries = polled.data?.entries ?? [];
  if (entries.length === 0) return null;
  return (
    <>
      <h2 class="section-title">Actions of operators</h2>
      <AuditTable entries={entries} withTarget={false} />
    </>
  );
}
