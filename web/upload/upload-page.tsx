import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { describeFile } from '../api/upload.ts';
import { PageHead } from '../ui/pieces.tsx';
import { DropZone } from './drop-zone.tsx';
import { type Target, TargetFields } from './target-fields.tsx';
import { type ChosenFile, UploadRow } from './upload-row.tsx';

/** Submits files: each becomes a batch. */
export function UploadPage(): JSX.Element {
  const [target, setTarget] = useState<Target>({ workload: '', lane: '' });
  const [chosen, setChosen] = useState<readonly ChosenFile[]>([]);
  const [refused, setRefused] = useState<readonly string[]>([]);
  const add = (files: readonly File[]): void => {
    const fitting = files.filter(({ name }) => describeFile(name) !== undefined);
    setRefused(files.filter((file) => !fitting.includes(file)).map(({ name }) => name));
    setChosen([...fitting.map((file) => ({ file, ...target, idempotencyKey: crypto.randomUUID() })), ...chosen]);
  };
  return (
    <>
      <PageHead title="Upload" note="Each file becomes a batch: accepted whole, or not at all." />
      <TargetFields target={target} onChange={setTarget} />
      <DropZone disabled={target.workload === ''} onFiles={add} />
      {refused.length > 0 && (
        <p class="tone-bad" role="alert">
          Not a kind that can be uploaded: {refused.join(', ')}
        </p>
      )}
      {chosen.length > 0 && (
        <section class="panel flush">
          <ul class="uploads">
            {chosen.map((each) => (
              <UploadRow key={each.idempotencyKey} chosen={each} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
