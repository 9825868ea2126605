import type { JSX } from 'preact';
import type { FieldChange } from '../../../json/field-changes.ts';
import { Button } from '../../../ui/button.tsx';

/** A change that is not filled in yet. */
export const NEW_CHANGE: FieldChange = { path: '', kind: 'text', value: '' };

const KINDS: Readonly<Record<FieldChange['kind'], string>> = {
  text: 'becomes the text',
  json: 'becomes the JSON',
  remove: 'is removed',
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
            title="Names with dots between them; a dot within a name has a backslash before it"
            value={path}
            onInput={(event) => change(n, { path: event.currentTarget.value })}
          />
          <select
            aria-label="What becomes of it"
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
            label="Leave this field alone"
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
