import type { JSX } from 'preact';
import type { DeadLetter } from '../api/types.ts';
import { formatClock, formatCount, formatNumberOf } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorDetails } from './error-details.tsx';

export interface LetterRowProps {
  letter: DeadLetter;
  /** What its group says already. */
  known: string;
  canRedrive: boolean;
  onEdit: () => void;
  onRedrive: () => void;
}

/** One dead letter: where it stood in the upload, what it is, what was tried. */
export function LetterRow({ letter, known, canRedrive, onEdit, onRedrive }: LetterRowProps): JSX.Element {
  const { index, line, item, attempts, error } = letter;
  return (
    <li>
      <div class="letter-head">
        <span>
          {line === null ? `Item ${formatCount(index)}` : `Line ${formatCount(line)}`}
          <small>
            {error.name}
            {error.code !== undefined && ` · ${error.code}`}
            {attempts.length > 0 &&
              ` · ${formatNumberOf(attempts.length, 'attempt')}, last at ${formatClock(attempts.at(-1)?.at ?? '')}`}
          </small>
        </span>
        <span class="letter-actions">
          <Button icon="edit" look="quiet" size="small" disabled={!canRedrive} onClick={onEdit}>
            Edit and redrive
          </Button>
          <Button
            icon="redo"
            look="quiet"
            size="small"
            disabled={!canRedrive}
            label={`Redrive item ${index} as it is`}
            onClick={onRedrive}
          />
        </span>
      </div>
      {error.message !== known && <p class="letter-error">{error.message}</p>}
      <ErrorDetails error={error} />
      <code class="item">
        {item === undefined ? 'The item cannot be read; send it corrected.' : JSON.stringify(item)}
      </code>
    </li>
  );
}
