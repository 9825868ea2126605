import type { JSX } from 'preact';
import type { DeadLetter } from '../../api/types.ts';
import { formatClock, formatCount, formatNumberOf, plain } from '../../format.ts';
import { Button } from '../../ui/button.tsx';
import type { Asked } from './cause-panel.tsx';
import { ErrorDetails } from './error-details.tsx';
import { placeOf } from './item-json.ts';
import { JsonText } from './json-text.tsx';

export interface LetterRowProps {
  letter: DeadLetter;
  /** The text that the group already shows. */
  known: string;
  canAct: boolean;
  onAsk: (asked: Asked) => void;
  isSelected?: boolean;
  onSelect?: (isSelected: boolean) => void;
}

/** One dead letter: its place in the upload, its item, and its attempts. */
export function LetterRow({ letter, known, canAct, onAsk, isSelected, onSelect }: LetterRowProps): JSX.Element {
  const { index, line, item, error } = letter;
  const one = { choice: { items: [index] }, count: 1, letters: [letter] };
  const place = line === null ? `Item ${formatCount(index)}` : `Line ${formatCount(line)}`;
  return (
    <li>
      <div class="letter-head">
        <span>
          {onSelect ? (
            <label class="check">
              <input
                type="checkbox"
                checked={isSelected ?? false}
                onChange={({ currentTarget }) => onSelect(currentTarget.checked)}
              />
              {place}
            </label>
          ) : (
            place
          )}
          <small>{historyOf(letter)}</small>
        </span>
        <span class="letter-actions">
          <Button
            icon="edit"
            look="quiet"
            size="small"
            disabled={!canAct}
            onClick={() => onAsk({ kind: 'edit', letter })}
          >
            Edit and redrive
          </Button>
          <Button
            icon="redo"
            look="quiet"
            size="small"
            disabled={!canAct}
            label={`Redrive ${placeOf(letter).toLowerCase()} as it is`}
            onClick={() => onAsk({ kind: 'redrive', scope: one })}
          />
        </span>
      </div>
      {error.message !== known && (
        <p class="letter-error">
          <bdi>{plain(error.message)}</bdi>
        </p>
      )}
      <ErrorDetails error={error} />
      {item === undefined ? (
        <p class="letter-error">The item cannot be read; send it corrected.</p>
      ) : (
        <JsonText value={item} name={`Item of ${placeOf(letter).toLowerCase()}`} />
      )}
    </li>
  );
}

function historyOf({ error: { name, code }, attempts }: DeadLetter): string {
  const last = attempts.at(-1);
  return [
    plain(name),
    ...(code === undefined ? [] : [plain(String(code))]),
    ...(last === undefined ? [] : [`${formatNumberOf(attempts.length, 'attempt')}, last at ${formatClock(last.at)}`]),
  ].join(' · ');
}
