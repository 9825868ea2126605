import type { JSX } from 'preact';
import { filledIn } from '../api/client.ts';
import { lastDays } from '../api/last-days.ts';
import { fetchAudit, type Page } from '../api/pages.ts';
import type { Audit, AuditEntry } from '../api/types.ts';
import { ChoiceField, SearchField } from '../filters/fields.tsx';
import { useMore } from '../live/use-more.ts';
import { usePolled } from '../live/use-polled.ts';
import { parameters, setParameters } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { MoreButton } from '../ui/more-button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { AuditTable, keyOf } from './audit-table.tsx';

const SPANS = ['1', '7', '30', '90'] as const;

/** The actions of operators, newest first. */
export function AuditPage(): JSX.Element {
  const target = parameters.value.get('target') ?? '';
  const days = SPANS.find((span) => span === parameters.value.get('days')) ?? '7';
  const polled = usePolled({
    key: ['audit', days, target],
    load: (signal) => fetchAudit({ query: { ...lastDays(Number(days)), ...filledIn({ target }) } }, signal),
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
        {(first) => <Shown key={`${days} ${target}`} first={first} what={target === '' ? 'anything' : 'it'} />}
      </Loaded>
    </>
  );
}

/** The first page, and the further ones that the user has loaded. */
function Shown({ first, what }: { first: Audit & Page<AuditEntry>; what: string }): JSX.Element {
  const more = useMore(first, { keyOf, fetchPage: fetchAudit });
  return more.entries.length === 0 ? (
    <Empty icon="audit" title="No actions">
      <p>{`No operator did anything to ${what} from ${first.from} to ${first.to} (UTC).`}</p>
    </Empty>
  ) : (
    <>
      <AuditTable entries={more.entries} />
      <MoreButton more={more}>More actions</MoreButton>
    </>
  );
}
