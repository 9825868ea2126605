import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { api } from '../api/client.ts';
import { ChoiceField } from '../filters/fields.tsx';
import { usePolled } from '../live/use-polled.ts';
import { Loaded } from '../ui/states.tsx';

/** The target of an upload. If the lane is empty, the workload decides it. */
export interface Target {
  workload: string;
  lane: string;
}

type Lanes = ReadonlyMap<string, readonly string[]>;

/** Workloads and their lanes. Only an operator may read the queues; without them, the workload decides the lane. */
async function fetchLanes(): Promise<Lanes> {
  const [{ workloads }, { queues }] = await Promise.all([
    api.json('GET health'),
    api.json('GET queues').catch(() => ({ queues: [] })),
  ]);
  const lanesOf = (name: string): string[] => {
    const own = queues.filter(({ workload, kind }) => workload === name && kind === 'items');
    return [...new Set(own.map(({ lane }) => lane))];
  };
  return new Map(workloads.map((name) => [name, lanesOf(name)]));
}

export interface TargetFieldsProps {
  target: Target;
  onChange: (target: Target) => void;
}

/** Fields for workload and lane. */
export function TargetFields({ target, onChange }: TargetFieldsProps): JSX.Element {
  const polled = usePolled({ key: ['lanes'], load: fetchLanes });
  const [first] = polled.data?.keys() ?? [];
  useEffect(() => {
    if (target.workload === '' && first !== undefined) onChange({ workload: first, lane: '' });
  }, [first, target.workload, onChange]);
  return (
    <Loaded polled={polled}>
      {(lanes) => (
        <div class="field-row targets">
          <ChoiceField
            named
            name="Workload"
            value={target.workload}
            choices={[...lanes.keys()]}
            onChange={(workload) => onChange({ workload, lane: '' })}
          />
          <ChoiceField
            named
            name="Lane"
            all="as the workload decides"
            value={target.lane}
            choices={lanes.get(target.workload) ?? []}
            onChange={(lane) => onChange({ ...target, lane })}
          />
        </div>
      )}
    </Loaded>
  );
}
