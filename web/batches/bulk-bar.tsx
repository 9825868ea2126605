import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { BatchEntry } from '../api/types.ts';
import { formatNumberOf } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { BulkDialog } from './bulk-dialog.tsx';
import type { BulkKind } from './bulk-plan.ts';

export interface BulkBarProps {
  batches: readonly BatchEntry[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
  onChange: () => void;
}

/** Selects all rows shown and applies an action to the selected ones. The results stay when no row is left. */
export function BulkBar({ batches, chosen, onChoose, onChange }: BulkBarProps): JSX.Element {
  // The batches at the time when the dialog opened: its numbers must not change while the user reads them.
  const [open, setOpen] = useState<{ kind: BulkKind; batches: readonly BatchEntry[] }>();
  const selected = batches.filter(({ id }) => chosen.has(id));
  const all = selected.length === batches.length;
  const close = (): void => {
    setOpen(undefined);
    onChoose(new Set());
    onChange();
  };
  return (
    <>
      {batches.length > 0 && (
        <div class="bulk-bar">
          <label class="check">
            <input
              type="checkbox"
              checked={all}
              ref={(box) => {
                if (box) box.indeterminate = selected.length > 0 && !all;
              }}
              onChange={() => onChoose(new Set(all ? [] : batches.map(({ id }) => id)))}
            />
            <span>
              {selected.length === 0
                ? `Select all ${formatNumberOf(batches.length, 'batch', 'batches')} shown`
                : `${formatNumberOf(selected.length, 'batch', 'batches')} selected`}
            </span>
          </label>
          {selected.length > 0 && (
            <span class="bulk-buttons">
              <Button size="small" icon="close" onClick={() => setOpen({ kind: 'cancel', batches: selected })}>
                Cancel …
              </Button>
              <Button size="small" icon="trash" onClick={() => setOpen({ kind: 'delete', batches: selected })}>
                Delete …
              </Button>
            </span>
          )}
        </div>
      )}
      {open && <BulkDialog {...open} onKeep={() => setOpen(undefined)} onDone={close} />}
    </>
  );
}
