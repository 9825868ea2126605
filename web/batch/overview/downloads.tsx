import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Download, download } from '../../api/download.ts';
import type { BatchView } from '../../api/types.ts';
import { formatBytes } from '../../format.ts';
import { useAction } from '../../live/use-action.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorBox } from '../../ui/states.tsx';
import { isFinished } from '../finished.ts';

interface Offer {
  what: string;
  downloads: readonly (Download & { kind: string })[];
}

/** Links that fetch with the key and save a file. */
export function Downloads({ batch }: { batch: BatchView }): JSX.Element {
  const [bytes, setBytes] = useState<number>();
  const action = useAction();
  const start = async (wanted: Download): Promise<void> => {
    setBytes(0);
    await action.run(() => download(wanted, setBytes));
    setBytes(undefined);
  };
  const offers = offersOf(batch);
  return (
    <div class="downloads">
      {offers.length === 0 && <p class="soft">Nothing to download yet.</p>}
      {offers.map(({ what, downloads }) => (
        <div key={what} class="download">
          <span>{what}</span>
          <span class="download-kinds">
            {downloads.map(({ kind, ...wanted }) => (
              <Button key={kind} icon="download" size="small" disabled={action.busy} onClick={() => void start(wanted)}>
                {kind}
              </Button>
            ))}
          </span>
        </div>
      ))}
      {!isFinished(batch) && offers.length > 0 && <p class="soft">Results are those of the chunks done so far.</p>}
      {bytes !== undefined && <p role="status">{formatBytes(bytes)} fetched …</p>}
      {action.error && <ErrorBox error={action.error} />}
    </div>
  );
}

const KINDS = { csv: 'CSV', ndjson: 'NDJSON' } as const;

function offersOf({ id, workload, chunks, reportRevision, counts }: BatchView): Offer[] {
  const offer = (
    what: string,
    name: 'results' | 'report' | 'dead-letters',
    formats: readonly Download['format'][],
  ) => ({
    what,
    downloads: formats.map((format) => ({
      kind: KINDS[format],
      ...({ route: `GET batches/{id}/${name}`, id, format } as const),
      file: `${workload}-${id}-${name}.${format}`,
    })),
  });
  return [
    ...(chunks.done === 0 ? [] : [offer('Results', 'results', ['csv', 'ndjson'])]),
    ...(reportRevision === null ? [] : [offer('Report', 'report', ['csv', 'ndjson'])]),
    ...(counts.dead === 0 ? [] : [offer('Dead letters', 'dead-letters', ['ndjson'])]),
  ];
}
