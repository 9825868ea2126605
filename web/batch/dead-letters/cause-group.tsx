import type { JSX } from 'preact';
import { formatCount } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { CausePanel, scopeOf, titleOf } from './cause-panel.tsx';
import { LetterRow } from './letter-row.tsx';
import { type CauseProps, OpenCause } from './open-cause.tsx';

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
