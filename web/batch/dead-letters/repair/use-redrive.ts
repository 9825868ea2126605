import { useState } from 'preact/hooks';
import { type LetterChoice, redriveLetters } from '../../../api/dead-letters.ts';
import type { DeadLetter } from '../../../api/types.ts';
import { formatNumberOf } from '../../../format.ts';
import { type Action, useAction } from '../../../live/use-action.ts';
import { useKey } from '../../../live/use-key.ts';
import type { Scope } from '../cause-panel.tsx';
import type { DialogOfLetters } from './discard-dialog.tsx';
import { rateOf } from './rate-field.tsx';

export interface Tried {
  letter: DeadLetter;
  revision: number;
}

/** A redrive that may run single items first. */
export interface Redrive {
  tried: readonly Tried[];
  /** The scope without the items that were tried. */
  rest: Scope;
  sending: Action;
  tryOne: (letter: DeadLetter) => Promise<boolean>;
  redrive: () => Promise<boolean>;
}

/** Provides the redrive of a scope; an empty rate means no limit. */
export function useRedrive(
  { batch, scope, onChange, onDone, onClose }: DialogOfLetters & { scope: Scope },
  rate: string,
): Redrive {
  const [tried, setTried] = useState<readonly Tried[]>([]);
  const sending = useAction();
  const keyOf = useKey();
  const rest = restOf(scope, new Set(tried.map(({ letter }) => letter.index)));
  const send = (choice: LetterChoice) => {
    const body = { ...choice, ...rateOf(rate) };
    return redriveLetters(batch.id, body, keyOf(body));
  };
  const tryOne = async (letter: DeadLetter): Promise<void> => {
    const { revision } = await send({ items: [letter.index] });
    setTried([...tried, { letter, revision }]);
    onChange();
  };
  const redrive = async (): Promise<void> => {
    const { redriven, unreadable, revision } = await send(rest.choice);
    const left = unreadable === 0 ? '' : ` ${formatNumberOf(unreadable, 'item')} cannot be read and stay.`;
    onDone(`${formatNumberOf(redriven, 'item')} run again, in revision ${revision} of this batch.${left}`);
    onChange();
    onClose();
  };
  return {
    ...{ tried, rest, sending },
    tryOne: (letter) => sending.run(() => tryOne(letter)),
    redrive: () => sending.run(redrive),
  };
}

/** Returns a scope without the items that were tried. */
function restOf({ choice, count, letters, ...rest }: Scope, done: ReadonlySet<number>): Scope {
  return {
    ...rest,
    choice: choice.items === undefined ? choice : { items: choice.items.filter((index) => !done.has(index)) },
    count: Math.max(0, count - done.size),
    letters: letters.filter(({ index }) => !done.has(index)),
  };
}
