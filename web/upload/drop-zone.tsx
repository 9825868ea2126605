import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Icon } from '../ui/icon.tsx';

const ACCEPT = '.ndjson,.jsonl,.json,.csv,.gz,.br,.zst';

export interface DropZoneProps {
  disabled: boolean;
  onFiles: (files: readonly File[]) => void;
}

/** Accepts dropped files. It is the label of a file input, so that it works with keys and screen readers. */
export function DropZone({ disabled, onFiles }: DropZoneProps): JSX.Element {
  const [over, setOver] = useState(false);
  const take = (files: FileList | null | undefined): void => {
    setOver(false);
    if (files && files.length > 0 && !disabled) onFiles([...files]);
  };
  return (
    <label
      class={`drop-zone ${over ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        take(event.dataTransfer?.files);
      }}
    >
      <input
        type="file"
        multiple
        accept={ACCEPT}
        disabled={disabled}
        onChange={({ currentTarget }) => {
          take(currentTarget.files);
          currentTarget.value = '';
        }}
      />
      <span class="empty-icon">
        <Icon name="upload" size={26} />
      </span>
      <strong>Drop files here, or choose them</strong>
      <small>NDJSON, JSON array or CSV with a header line; also as .gz, .br or .zst</small>
    </label>
  );
}
