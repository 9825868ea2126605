import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BatchView } from '../../api/types.ts';
import { formatCount, formatNumberOf } from '../../format.ts';
import { parameters, setParameters } from '../../routing.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, ErrorBox, Loading } from '../../ui/states.tsx';
import { isFinished } from '../finished.ts';
import { type Asked, CausePanel, scopeOf, titleOf } from './cause-panel.tsx';
import { causeKey, type Groups } from './groups.ts';
import { LetterRow } from './letter-row.tsx';
import { type CauseProps, OpenCause } from './open-cause.tsx';
import { DiscardDialog } from './repair/discard-dialog.tsx';
import { EditDialog } from './repair/edit-dialog.tsx';
import { RedriveDialog } from './repair/redrive-dialog.tsx';
import { useGroups } from './use-groups.ts';

export interface DeadLettersProps {
  batch: BatchView;
  onChange: () => void;
}

/** The dead letters of a batch by cause, with ways to repair, redrive or discard them. */
export function DeadLetters({ batch, onChange }: DeadLettersProps): JSX.Element {
  const [asked, setAsked] = useState<Asked>();
  const [result, setResult] = useState('');
  const { groups, error, finishedRevision } = useGroups(batch);
  const dialog = {
    batch,
    onChange,
    onDone: setResult,
    onClose: () => setAsked(undefined),
  };
  return (
    <>
      {result !== '' && (
        <p class="action-result" role="status">
          {result}
        </p>
      )}
      {error && <ErrorBox error={error} />}
      {batch.counts.dead === 0 && <NoDeadLetters finished={isFinished(batch)} />}
      {batch.counts.dead > 0 && groups === undefined && !error && <Loading />}
      {batch.counts.dead > 0 && groups && (
        <Causes batch={batch} groups={groups} finishedRevision={finishedRevision} onAsk={setAsked} />
      )}
      {asked?.kind === 'edit' && <EditDialog letter={asked.letter} {...dialog} />}
      {asked?.kind === 'redrive' && <RedriveDialog scope={asked.scope} {...dialog} />}
      {asked?.kind === 'discard' && <DiscardDialog scope={asked.scope} {...dialog} />}
    </>
  );
}

interface CausesProps {
  batch: BatchView;
  groups: Groups;
  finishedRevision: number | undefined;
  onAsk: (asked: Asked) => void;
}

function Causes({ batch, groups: { groups, count, otherCauses }, finishedRevision, onAsk }: CausesProps): JSX.Element {
  const finished = isFinished(batch);
  const opened = causeKey(parameters.value.get('cause') ?? '');
  const letters = groups.flatMap(({ example }) => (example === undefined ? [] : [example]));
  const all = { choice: {}, count, letters };
  return (
    <>
      <div class="section-head">
        <p>
          {groups.length === 0
            ? formatNumberOf(count, 'item')
            : `${formatNumberOf(count, 'item')} of ${formatNumberOf(groups.length, 'cause')}`}
          {groups.length > 0 && otherCauses > 0 && `, ${formatCount(otherCauses)} of them of other causes`}
          {!finished && <span class="soft"> · they can be redriven or discarded once the batch is finished</span>}
        </p>
        <div class="cause-actions">
          <Button icon="redo" disabled={!finished} onClick={() => onAsk({ kind: 'redrive', scope: all })}>
            Redrive all
          </Button>
          <Button look="quiet" disabled={!finished} onClick={() => onAsk({ kind: 'discard', scope: all })}>
            Discard all
          </Button>
        </div>
      </div>
      {groups.map((group) => (
        <CauseGroup
          key={causeKey(group.cause)}
          batch={batch.id}
          group={group}
          finishedRevision={finishedRevision}
          canAct={finished}
          isOpen={causeKey(group.cause) === opened}
          onOpen={(open) => setParameters({ cause: open ? group.cause : '', find: '' })}
          onAsk={onAsk}
        />
      ))}
    </>
  );
}

const NoDeadLetters = ({ finished }: { finished: boolean }): JSX.Element => (
  <Empty icon="check" title="No dead letters">
    <p>{finished ? 'No item of this batch is dead.' : 'None so far.'}</p>
  </Empty>
);

/** Dead letters of one cause: an example if one is known, and all of them on demand. */
export function CauseGroup(props: CauseProps): JSX.Element {
  const { group, canAct, isOpen, onOpen, onAsk } = props;
  if (isOpen) return <OpenCause {...props} />;
  const letters = group.example === undefined ? [] : [group.example];
  return (
    <CausePanel group={group} scope={scopeOf(group, letters)} canAct={canAct} onAsk={onAsk}>
      <ul class="letters">
        {letters.map((letter) => (
          <LetterRow key={letter.index} letter={letter} known={titleOf(group)} canAct={canAct} onAsk={onAsk} />
        ))}
      </ul>
      {group.count > letters.length && (
        <Button look="quiet" size="small" onClick={() => onOpen(true)}>
          Show all {formatCount(group.count)}
        </Button>
      )}
    </CausePanel>
  );
}
