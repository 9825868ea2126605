import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import type { PolicyView, QueueDetails } from '../api/types.ts';
import { SERIES } from '../charts/palette.ts';
import { TimeChart } from '../charts/time-chart.tsx';
import { formatCount } from '../format.ts';
import { useAction } from '../live/use-action.ts';
import { Button } from '../ui/button.tsx';
import { Form } from '../ui/form.tsx';
import { Panel } from '../ui/pieces.tsx';
import { compareTasks, tasksUnder } from './dry-run.ts';
import { PolicyFields } from './policy-fields.tsx';
import { waveAxis } from './wave-charts.tsx';

type Policy = PolicyView['policy'];

export interface PolicyPanelProps {
  queue: QueueDetails;
  onChange: () => void;
}

/**
 * Shows and edits the sizing of a queue's waves, and shows the effect that a change would have had on the latest waves.
 */
export function PolicyPanel({ queue, onChange }: PolicyPanelProps): JSX.Element {
  const { policy: present } = queue;
  // A refresh keeps the user's input and the version that the input was based on.
  const [draft, setDraft] = useState<{ version: number; policy: Policy }>();
  const saving = useAction();
  const policy = draft?.policy ?? present.policy;
  const edit = (next: Policy): void => setDraft({ version: draft?.version ?? present.version, policy: next });
  const drop = (): void => {
    saving.clear();
    setDraft(undefined);
  };
  const save = async (): Promise<void> => {
    if (!draft) return;
    // Refused if the policy has changed since this version.
    const headers = { 'if-match': `"${draft.version}"` };
    const request = { path: { queue: queue.queue }, body: draft.policy, headers };
    if (!(await saving.run(() => api.call('PUT queues/{queue}/policy', request)))) return;
    setDraft(undefined);
    onChange();
  };
  const { previous } = present;
  return (
    <Panel title="Policy" aside={<span class="soft">{versionText(present.version)}</span>}>
      <Form
        look="policy"
        error={saving.error}
        onSubmit={() => save()}
        buttons={
          <>
            <Button
              icon="redo"
              disabled={previous === undefined}
              reason={previous === undefined ? 'There is no previous version.' : undefined}
              onClick={() => previous && edit(previous)}
            >
              Restore the previous policy
            </Button>
            <Button disabled={draft === undefined} onClick={drop}>
              Drop changes
            </Button>
            <Button submit look="primary" busy={saving.busy} disabled={draft === undefined}>
              Save policy
            </Button>
          </>
        }
      >
        <p class="soft">How many dequeue tasks a wave gets. A change takes effect with the next wave.</p>
        <PolicyFields policy={policy} kind={queue.kind} onChange={edit} />
        <DryRun queue={queue} edited={policy} />
        {draft && draft.version !== present.version && (
          <p class="tone-warn" role="status">
            Another user has saved {versionText(present.version).toLowerCase()}. Drop your changes to see it.
          </p>
        )}
      </Form>
    </Panel>
  );
}

const versionText = (version: number): string => (version === 0 ? 'The default policy' : `Version ${version}`);

/** The recorded waves under the present and the edited policy. */
function DryRun({ queue, edited }: { queue: QueueDetails; edited: Policy }): JSX.Element | null {
  if (queue.kind === 'results' || queue.waves.length === 0) return null;
  const before = tasksUnder(queue, queue.policy.policy);
  const after = tasksUnder(queue, edited);
  return (
    <div class="dry-run">
      <TimeChart
        title="Dry run: tasks of the latest waves"
        {...waveAxis(queue.waves)}
        series={[
          { name: 'present policy', color: SERIES[1], values: before },
          { name: 'as edited', color: SERIES[2], values: after },
        ]}
        format={formatCount}
        quiet=""
      />
      <p role="status">{compareTasks(before, after)}</p>
    </div>
  );
}
