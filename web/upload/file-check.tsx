import type { JSX } from 'preact';
import { placeText } from '../../shared/client/index.ts';
import { DELIMITERS } from '../../shared/contract/upload-kinds.ts';
import { describeFile } from '../api/media-types.ts';
import type { UploadCheck } from '../api/types.ts';
import type { Upload } from '../api/upload.ts';
import { ChoiceField } from '../filters/fields.tsx';
import { formatNumberOf, plain } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { ErrorBox } from '../ui/states.tsx';
import { describeCheck, describeColumns, describeCsv, isFine } from './check-text.ts';
import { type Check, removeFile, sendFile, setOptions } from './uploads.ts';

export interface FileCheckProps {
  what: Upload;
  check: Check;
}

/** A file before it is sent: the result of its check, and its options. */
export function FileCheck({ what, check }: FileCheckProps): JSX.Element {
  const { file, delimiter, decimal, validate, idempotencyKey: key } = what;
  const busy = check.step === 'checking';
  const isCsv = describeFile(file.name)?.format === 'csv';
  return (
    <>
      {check.step === 'failed' && <ErrorBox error={check.error} />}
      {busy && <small role="status">Checking the first items</small>}
      {check.step === 'too large' && <small>Too large to be checked before it is sent.</small>}
      {check.step === 'checked' && <Checked {...check} />}
      <div class="field-row upload-options">
        {isCsv && (
          <>
            <ChoiceField
              named
              name="Delimiter"
              all="found in the file"
              value={delimiter}
              choices={Object.keys(DELIMITERS)}
              disabled={busy}
              onChange={(value) => setOptions(key, { delimiter: value })}
            />
            <ChoiceField
              named
              name="Decimal sign"
              all="default"
              value={decimal}
              choices={['point', 'comma']}
              disabled={busy}
              onChange={(value) => setOptions(key, { decimal: value })}
            />
          </>
        )}
        <label class="check">
          <input
            type="checkbox"
            checked={validate}
            onChange={({ currentTarget }) => setOptions(key, { validate: currentTarget.checked })}
          />
          <span>Refuse the file if any item does not fit</span>
        </label>
      </div>
      <div class="upload-buttons">
        <Button look="primary" size="small" icon="upload" disabled={busy} onClick={() => void sendFile(key)}>
          Send
        </Button>
        <Button look="quiet" size="small" icon="close" onClick={() => removeFile(key)}>
          Remove
        </Button>
      </div>
    </>
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
        {fault ? `Cannot be read at ${placeText(fault)}: ${plain(fault.message)}` : describeCheck(check, isAll)}
      </p>
      {csv && (
        <details>
          <summary>{csv}</summary>
          <small>
            {plain(columns.slice(0, COLUMNS_SHOWN).join(', '))}
            {columns.length > COLUMNS_SHOWN && ` and ${columns.length - COLUMNS_SHOWN} more`}
          </small>
        </details>
      )}
      {causes.length > 0 && (
        <ul class="letters">
          {causes.slice(0, 5).map(({ cause, count, examples: [example] }) => (
            <li key={cause}>
              <b>{formatNumberOf(count, 'item')}</b> <bdi class="cause-text">{plain(example?.message ?? cause)}</bdi>
              {example && <small class="soft"> first at {placeText(example)}</small>}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
