import type { ComponentChildren, JSX } from 'preact';
import type { LetterChoice } from '../../api/dead-letters.ts';
import type { DeadLetter } from '../../api/types.ts';
import { formatCount, plain } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import { Tag } from '../../ui/pieces.tsx';
import type { Group } from './groups.ts';

/** Dead letters of one batch that an action applies to. */
export interface Scope {
  choice: LetterChoice;
  count: number;
  letters: readonly DeadLetter[];
  /** Their cause as text, if they have one cause. */
  title?: string;
}

/** An action that the user chose; its dialog confirms it. */
export type Asked =
  | { kind: 'edit'; letter: DeadLetter }
  | { kind: 'redrive'; scope: Scope }
  | { kind: 'discard'; scope: Scope };

/** A cause as readable text. */
export const titleOf = ({ example, cause }: Group): string => example?.error.message || cause;

/** The dead letters that the buttons apply to: the selected ones, or else all of the cause. */
export function scopeOf(group: Group, letters: readonly DeadLetter[], selected?: ReadonlySet<number>): Scope {
  const title = titleOf(group);
  if (selected === undefined || selected.size === 0)
    return { choice: { cause: group.cause }, count: group.count, letters, title };
  const chosen = letters.filter(({ index }) => selected.has(index));
  return { choice: { items: chosen.map(({ index }) => index) }, count: chosen.length, letters: chosen, title };
}

interface CausePanelProps {
  group: Group;
  canAct: boolean;
  onAsk: (asked: Asked) => void;
  scope: Scope;
  children: ComponentChildren;
}

/** The frame of a cause, with the actions for the dead letters in `scope`. */
export function CausePanel({ group, scope, canAct, onAsk, children }: CausePanelProps): JSX.Element {
  const { choice, count } = scope;
  const which =
    choice.items !== undefined ? `${formatCount(count)} selected` : count === 1 ? 'it' : `these ${formatCount(count)}`;
  const button = { size: 'small', disabled: !canAct } as const;
  return (
    <section class="panel cause">
      <header>
        <div>
          <Tag tone="warn">{group.reason ?? group.cause.split(':')[0]}</Tag>
          <h2 class="cause-text">
            <bdi>{plain(titleOf(group))}</bdi>
          </h2>
        </div>
        <div class="cause-actions">
          <Button icon="redo" {...button} onClick={() => onAsk({ kind: 'redrive', scope })}>
            Redrive {which}
          </Button>
          <Button look="quiet" {...button} onClick={() => onAsk({ kind: 'discard', scope })}>
            Discard
          </Button>
        </div>
      </header>
      {children}
    </section>
  );
}
