import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { fetchGroups, type RedriveChoice, redriveLetters } from '../api/dead-letters.ts';
import type { BatchView, DeadLetterGroups } from '../api/types.ts';
import { formatCount } from '../format.ts';
import { usePoll } from '../live/use-poll.ts';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import { CauseGroup } from './cause-group.tsx';
import { isFinished } from './finished.ts';

export interface DeadLettersProps {
  batch: BatchView;
  onChange: () => void;
}

/** A redrive that somebody is asked about. One key for it: asking twice by accident runs it once. */
interface Asked {
  choice: RedriveChoice;
  count: number;
  key: string;
}

/** The items that nobody could process, by cause, with ways to run them again. */
export function DeadLetters({ batch, onChange }: DeadLettersProps): JSX.Element {
  const { dead } = batch.counts;
  const [asked, setAsked] = useState<Asked>();
  const [told, setTold] = useState('');
  // The dead letters change when these numbers do, and only then are they read again.
  const subject = `${batch.id} ${dead} ${batch.state} ${batch.reportRevision}`;
  const polled = usePoll({ subject, load: (signal) => fetchGroups(batch.id, { signal }) });
  const ask = (choice: RedriveChoice, count: number): void => setAsked({ choice, count, key: crypto.randomUUID() });
  const redrive = async ({ choice, key }: Asked): Promise<void> => {
    const { redriven } = await redriveLetters(batch.id, choice, key);
    setTold(`${itemsText(redriven)} run again, in a new revision of this batch.`);
    onChange();
  };
  if (dead === 0) return <NoDeadLetters told={told} finished={isFinished(batch)} />;
  return (
    <>
      {told !== '' && (
        <p class="told" role="status">
          {told}
        </p>
      )}
      <Loaded polled={polled}>
        {(groups) => <Groups batch={batch} groups={groups} onAsk={ask} onChange={onChange} />}
      </Loaded>
      {asked && (
        <Confirm
          title={`Redrive ${itemsText(asked.count)}?`}
          action="Redrive"
          onConfirm={() => redrive(asked)}
          onClose={() => setAsked(undefined)}
        >
          <p>
            They run again as they are, with the workload as it is deployed now. What has succeeded is not touched; a
            new report follows.
          </p>
          {asked.choice.cause !== undefined && <p class="cause-text">{asked.choice.cause}</p>}
        </Confirm>
      )}
    </>
  );
}

const itemsText = (count: number): string => (count === 1 ? 'one item' : `${formatCount(count)} items`);

interface GroupsProps {
  batch: BatchView;
  groups: DeadLetterGroups;
  onAsk: (choice: RedriveChoice, count: number) => void;
  onChange: () => void;
}

function Groups({ batch, groups: { groups, count, otherCauses }, onAsk, onChange }: GroupsProps): JSX.Element {
  const finished = isFinished(batch);
  return (
    <>
      <div class="section-head">
        <p>
          {itemsText(count)} of {groups.length === 1 ? 'one cause' : `${groups.length} causes`}
          {otherCauses > 0 && `, and ${formatCount(otherCauses)} of others`}
          {!finished && <span class="soft"> · they can be redriven once the batch is finished</span>}
        </p>
        <Button icon="redo" disabled={!finished} onClick={() => onAsk({}, count)}>
          Redrive all
        </Button>
      </div>
      {groups.map((group) => (
        <CauseGroup
          key={group.cause}
          batch={batch.id}
          group={group}
          canRedrive={finished}
          onChange={onChange}
          onRedrive={() => onAsk({ cause: group.cause }, group.count)}
          onRedriveItem={(index) => onAsk({ items: [index] }, 1)}
        />
      ))}
    </>
  );
}

function NoDeadLetters({ told, finished }: { told: string; finished: boolean }): JSX.Element {
  return (
    <Empty icon="check" title="No dead letters">
      <p>{told !== '' ? told : finished ? 'Every item was processed.' : 'None so far.'}</p>
    </Empty>
  );
}
