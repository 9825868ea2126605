import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { describeFile } from '../api/media-types.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { DropZone } from './drop-zone.tsx';
import { type Target, TargetFields } from './target-fields.tsx';
import { type ChosenFile, UploadRow } from './upload-row.tsx';

const NEW_FILE = { decimal: '', validate: false, isSent: false };

/** Checks files and submits them: each becomes a batch. */
export function UploadPage(): JSX.Element {
  const [target, setTarget] = useState<Target>({ workload: '', lane: '' });
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const add = (files: readonly File[]): void => {
    const fitting = files.filter(({ name }) => describeFile(name) !== undefined);
    setRefused(files.filter((file) => !fitting.includes(file)).map(({ name }) => name));
    setChosen([
      ...fitting.map((file) => ({
        ...{ ...NEW_FILE, file, ...target, idempotencyKey: crypto.randomUUID() },
        delimiter: describeFile(file.name)?.delimiter ?? '',
      })),
      ...chosen,
    ]);
  };
  const change = (key: string, next: ChosenFile): void =>
    setChosen((files) => files.map((each) => (each.idempotencyKey === key ? next : each)));
  const drop = (key: string): void => setChosen((files) => files.filter((each) => each.idempotencyKey !== key));
  const waiting = chosen.filter(({ isSent }) => !isSent);
  return (
    <>
      <PageHead
        title="Upload"
        note="Each file is checked first, and becomes a batch when you send it: accepted whole, or not at all."
      />
      <TargetFields target={target} onChange={setTarget} />
      <DropZone disabled={target.workload === ''} onFiles={add} />
      {refused.length > 0 && (
        <p class="tone-bad" role="alert">
          Not a kind that can be uploaded: {refused.join(', ')}
        </p>
      )}
      {waiting.length > 1 && (
        <p>
          <Button icon="upload" onClick={() => setChosen(chosen.map((each) => ({ ...each, isSent: true })))}>
            Send all {waiting.length} files
          </Button>
        </p>
      )}
      {chosen.length > 0 && (
        <section class="panel flush">
          <ul class="uploads">
            {chosen.map((each) => (
              <UploadRow
                key={each.idempotencyKey}
                chosen={each}
                onChange={(next) => change(each.idempotencyKey, next)}
                onDrop={() => drop(each.idempotencyKey)}
              />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
