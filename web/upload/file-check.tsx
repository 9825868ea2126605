import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { DELIMITERS } from '../../shared/contract/upload-kinds.ts';
import { describeFile } from '../api/media-types.ts';
import { tryUpload } from '../api/try.ts';
import type { UploadCheck } from '../api/types.ts';
import type { Upload } from '../api/upload.ts';
import { formatNumberOf, formatPlace } from '../format.ts';
import { useAction } from '../live/use-action.ts';
import { Button } from '../ui/button.tsx';
import { ErrorBox } from '../ui/states.tsx';
import { describeCheck, describeColumns, describeCsv, isFine } from './check-text.ts';
import { firstPart } from './first-part.ts';

export interface FileCheckProps {
  chosen: Upload;
  onChange: (part: Partial<Upload>) => void;
  onSend: () => void;
  onDrop: () => void;
}

/** A file before it is sent: what the service makes of its beginning, and what can be chosen. */
export function FileCheck({ chosen, onChange, onSend, onDrop }: FileCheckProps): JSX.Element {
  const { file, delimiter, decimal, validate } = chosen;
  const [checked, setChecked] = useState<{ check: UploadCheck; isAll: boolean } | 'too large'>();
  const checking = useAction();
  const check = async (): Promise<void> => {
    const part = await firstPart(file);
    setChecked(part ? { check: await tryUpload(chosen, part), isAll: part.size === file.size } : 'too large');
  };
  useEffect(() => void checking.run(check), [delimiter, decimal]);
  const isCsv = describeFile(file.name)?.format === 'csv';
  return (
    <>
      {checking.error && <ErrorBox error={checking.error} />}
      {checking.busy && <small role="status">Checking the first items</small>}
      {checked === 'too large' && <small>Too large to be checked before it is sent.</small>}
      {checked && checked !== 'too large' && !checking.busy && <Checked {...checked} />}
      <div class="field-row upload-options">
        {isCsv && (
          <>
            <Choice
              name="Delimiter"
              value={delimiter}
              choices={['', ...Object.keys(DELIMITERS)]}
              disabled={checking.busy}
              onChange={(value) => onChange({ delimiter: value })}
            />
            <Choice
              name="Decimal sign"
              value={decimal}
              choices={['', 'point', 'comma']}
              disabled={checking.busy}
              onChange={(value) => onChange({ decimal: value })}
            />
          </>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={validate}
            onChange={({ currentTarget }) => onChange({ validate: currentTarget.checked })}
          />
          <span>Refuse the file if any item does not fit</span>
        </label>
      </div>
      <div class="upload-buttons">
        <Button look="primary" size="small" icon="upload" disabled={checking.busy} onClick={onSend}>
          Send
        </Button>
        <Button look="quiet" size="small" icon="close" onClick={onDrop}>
          Remove
        </Button>
      </div>
    </>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  choices: readonly string[];
  disabled: boolean;
  onChange: (value: string) => void;
}

function Choice({ name, value, choices, disabled, onChange }: ChoiceProps): JSX.Element {
  return (
    <label class="field">
      <span>{name}</span>
      <select value={value} disabled={disabled} onInput={({ currentTarget }) => onChange(currentTarget.value)}>
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice === '' ? (name === 'Delimiter' ? 'found in the file' : 'as usual') : choice}
          </option>
        ))}
      </select>
    </label>
  );
}

const COLUMNS_SHOWN = 40;

function Checked({ check, isAll }: { check: UploadCheck; isAll: boolean }): JSX.Element {
  const columns = describeColumns(check);
  const { fault, causes } = check;
  const csv = describeCsv(check);
  return (
    <div class="checked" role="status">
      <p class={isFine(check) ? 'tone-good' : 'tone-bad'}>
        {fault ? `Cannot be read at ${formatPlace(fault)}: ${fault.message}` : describeCheck(check, isAll)}
      </p>
      {csv && (
        <details>
          <summary>{csv}</summary>
          <small>
            {columns.slice(0, COLUMNS_SHOWN).join(', ')}
            {columns.length > COLUMNS_SHOWN && ` and ${columns.length - COLUMNS_SHOWN} more`}
          </small>
        </details>
      )}
      {causes.length > 0 && (
        <ul class="letters">
          {causes.slice(0, 5).map(({ cause, count, examples: [example] }) => (
            <li key={cause}>
              <b>{formatNumberOf(count, 'item')}</b> <span class="cause-text">{example?.message ?? cause}</span>
              {example && <small class="soft"> first at {formatPlace(example)}</small>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
