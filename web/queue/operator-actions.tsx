import type { JSX } from 'preact';
import type { Audit } from '../api/types.ts';
import { AuditTable } from '../audit/audit-table.tsx';
import { formatCount } from '../format.ts';
import type { Polled } from '../live/use-polled.ts';
import { href } from '../routing.ts';
import { Loaded } from '../ui/states.tsx';

const SHOWN = 10;

/** The recent actions of operators on a queue. */
export const OperatorActions = ({ actions }: { actions: Pick<Polled<Audit>, 'data' | 'error'> }): JSX.Element => (
  <section class="part">
    <header>
      <h2>Actions of operators</h2>
      <a href={href('audit')}>Audit log</a>
    </header>
    <Loaded polled={actions}>
      {({ entries }) => (
        <>
          {entries.length === 0 && <p class="soft">No operator acted on this queue in the last 7 days.</p>}
          {entries.length > 0 && <AuditTable entries={entries.slice(0, SHOWN)} withTarget={false} />}
          {entries.length > SHOWN && (
            <p class="soft">and {formatCount(entries.length - SHOWN)} more in the audit log</p>
          )}
        </>
      )}
    </Loaded>
  </section>
);
