import type { JSX } from 'preact';
import type { FieldChange } from '../../../json/field-changes.ts';
import { Button } from '../../../ui/button.tsx';

/** A change without input yet. */
export const NEW_CHANGE: FieldChange = { path: '', kind: 'text', value: '' };

const KINDS: Readonly<Record<FieldChange['kind'], string>> = {
  text: 'set to text',
  json: 'set to JSON',
  remove: 'remove',
};

export interface ChangeFieldsProps {
  changes: readonly FieldChange[];
  onChange: (changes: readonly FieldChange[]) => void;
}

/** Changes of single fields, the same for all items. */
export function ChangeFields({ changes, onChange }: ChangeFieldsProps): JSX.Element {
  const change = (at: number, part: Partial<FieldChange>): void =>
    onChange(changes.map((each, n) => (n === at ? { ...each, ...part } : each)));
  return (
    <fieldset class="changes">
      <legend>Fields to change in each item</legend>
      {changes.map(({ path, kind, value }, n) => (
        <div key={n} class="change">
          <input
            aria-label="Field"
            class="mono"
            placeholder="address.country"
            title="Names separated by dots; write a dot within a name as \\."
            value={path}
            onInput={(event) => change(n, { path: event.currentTarget.value })}
          />
          <select
            aria-label="Kind of change"
            value={kind}
            onInput={(event) => change(n, { kind: event.currentTarget.value as FieldChange['kind'] })}
          >
            {Object.entries(KINDS).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
          {kind !== 'remove' && (
            <input
              aria-label="New value"
              class="mono"
              value={value}
              onInput={(event) => change(n, { value: event.currentTarget.value })}
            />
          )}
          <Button
            icon="close"
            look="quiet"
            label="Remove this change"
            onClick={() => onChange(changes.filter((_, at) => at !== n))}
          />
        </div>
      ))}
      <Button size="small" icon="edit" onClick={() => onChange([...changes, NEW_CHANGE])}>
        {changes.length === 0 ? 'Change a field' : 'Change another field'}
      </Button>
    </fieldset>
  );
}
