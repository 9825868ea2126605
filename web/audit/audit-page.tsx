import type { JSX } from 'preact';
import { api, filledIn } from '../api/client.ts';
import { lastDays } from '../api/last-days.ts';
import type { AuditEntry } from '../api/types.ts';
import { ChoiceField, SearchField } from '../filters/fields.tsx';
import { usePolled } from '../live/use-polled.ts';
import { parameters, setParameters } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { AuditTable } from './audit-table.tsx';

const SPANS = ['1', '7', '30', '90'] as const;

/** The actions of operators, newest first. */
export function AuditPage(): JSX.Element {
  const target = parameters.value.get('target') ?? '';
  const days = SPANS.find((span) => span === parameters.value.get('days')) ?? '7';
  const polled = usePolled({
    key: ['audit', days, target],
    load: (signal) => api.json('GET audit', { query: { ...lastDays(Number(days)), ...filledIn({ target }) }, signal }),
  });
  return (
    <>
      <PageHead title="Audit log" note="Actions of operators in the dashboard, the command line and the API.">
        <SearchField name="Queue, batch or file" value={target} onChange={(text) => setParameters({ target: text })} />
        <ChoiceField
          name="Days"
          value={days}
          choices={SPANS}
          textOf={(span) => (span === '1' ? 'Today (UTC)' : `${span} days`)}
          onChange={(span) => setParameters({ days: span }, { push: true })}
        />
        <Button icon="redo" onClick={polled.refresh}>
          Refresh
        </Button>
      </PageHead>
      <Loaded polled={polled}>
        {({ entries, from, to }) => (
          <Shown entries={entries} what={target === '' ? 'anything' : 'it'} days={`${from} to ${to}`} />
        )}
      </Loaded>
    </>
  );
}

const Shown = ({ entries, what, days }: { entries: readonly AuditEntry[]; what: string; days: string }): JSX.Element =>
  entries.length === 0 ? (
    <Empty icon="audit" title="No actions">
      <p>
        No operator did anything to {what} from {days} (UTC).
      </p>
    </Empty>
  ) : (
    <AuditTable entries={entries} />
  );
