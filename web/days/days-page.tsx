import type { JSX } from 'preact';
import { api, filledIn } from '../api/client.ts';
import { lastDays } from '../api/last-days.ts';
import { ChoiceField, DayField, WorkloadField } from '../filters/fields.tsx';
import { usePolled } from '../live/use-polled.ts';
import { parameters, setParameters } from '../routing.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { Loaded } from '../ui/states.tsx';
import { CostOfDay } from './cost.tsx';
import { FinishedDays } from './history.tsx';

const SPANS = ['7', '30', '92'] as const;

/** What finished, day by day, and what it cost. Fetched once: days change slowly, and cost more to read than a row. */
export function DaysPage(): JSX.Element {
  const workload = parameters.value.get('workload') ?? '';
  const day = parameters.value.get('day') ?? '';
  const days = SPANS.find((span) => span === parameters.value.get('days')) ?? '30';
  const history = usePolled({
    key: ['history', days, workload],
    load: (signal) =>
      api.json('GET history', { query: { ...lastDays(Number(days)), ...filledIn({ workload }) }, signal }),
  });
  const cost = usePolled({
    key: ['cost', day],
    load: () => api.json('GET cost', { query: filledIn({ day }) }),
    keepPrevious: true,
  });
  const set = (values: Readonly<Record<string, string>>): void => setParameters(values, { push: true });
  const refresh = (): void => {
    history.refresh();
    cost.refresh();
  };
  return (
    <>
      <PageHead title="Days" note="Finished batches by the day (UTC) on which they were submitted, and their cost.">
        <WorkloadField value={workload} onChange={(name) => set({ workload: name })} />
        <ChoiceField
          name="Days"
          value={days}
          choices={SPANS}
          textOf={(span) => `${span} days`}
          onChange={(span) => set({ days: span })}
        />
        <DayField name="Cost of day (UTC)" value={day} onChange={(value) => set({ day: value })} />
        <Button icon="redo" onClick={refresh}>
          Refresh
        </Button>
      </PageHead>
      <Loaded polled={history}>{(found) => <FinishedDays history={found} />}</Loaded>
      <Loaded polled={cost}>{(found) => <CostOfDay cost={found} />}</Loaded>
    </>
  );
}
