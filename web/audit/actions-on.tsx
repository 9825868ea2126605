import type { JSX } from 'preact';
import { api } from '../api/client.ts';
import { lastDays } from '../api/last-days.ts';
import { usePolled } from '../live/use-polled.ts';
import { href } from '../routing.ts';
import { AuditTable } from './audit-table.tsx';

const DAYS = 90;
const SHOWN = 10;

export interface ActionsOnProps {
  target: string;
  /** Values that each action of an operator on it changes. */
  changes: readonly unknown[];
}

/** The latest actions of operators on a queue or a batch; empty if there are none, or if the key may not read them. */
export function ActionsOn({ target, changes }: ActionsOnProps): JSX.Element | null {
  const polled = usePolled({
    key: ['audit', target, ...changes],
    load: (signal) => api.json('GET audit', { query: { ...lastDays(DAYS), target, limit: SHOWN + 1 }, signal }),
    keepPrevious: true,
  });
  const entries = polled.data?.entries ?? [];
  if (entries.length === 0) return null;
  return (
    <>
      <h2 class="section-title">Actions of operators</h2>
      <AuditTable entries={entries.slice(0, SHOWN)} withTarget={false} />
      {entries.length > SHOWN && (
        <p class="soft">
          <a href={href('audit', { target, days: '90' })}>More in the audit log</a>
        </p>
      )}
    </>
  );
}
