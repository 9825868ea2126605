import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { plain } from '../format.ts';
import { Button } from '../ui/button.tsx';
import { PageHead } from '../ui/pieces.tsx';
import { DropZone } from './drop-zone.tsx';
import { TargetFields } from './target-fields.tsx';
import { UploadRow } from './upload-row.tsx';
import { addFiles, files, removeFiles, sendFiles, target } from './uploads.ts';

/** Checks files and submits them; each becomes a batch. */
export function UploadPage(): JSX.Element {
  const [refused, setRefused] = useState<readonly string[]>([]);
  const all = files.value;
  const waiting = all.filter(({ stage }) => stage.step === 'chosen');
  const accepted = all.filter(({ stage }) => stage.step === 'accepted');
  return (
    <>
      <PageHead
        title="Upload"
        note="Each file is checked first, and becomes a batch when you send it: accepted whole, or not at all."
      />
      <TargetFields
        target={target.value}
        onChange={(next) => {
          target.value = next;
        }}
      />
      <DropZone
        disabled={target.value.workload === ''}
        onFiles={(chosen) => setRefused(addFiles(chosen).map(({ name }) => name))}
      />
      {refused.length > 0 && (
        <p class="tone-bad" role="alert">
          This file type cannot be uploaded: <bdi>{plain(refused.join(', '))}</bdi>
        </p>
      )}
      {(waiting.length > 1 || accepted.length > 1) && (
        <p class="upload-buttons">
          {waiting.length > 1 && (
            <Button icon="upload" onClick={() => sendFiles(waiting)}>{`Send all ${waiting.length} files`}</Button>
          )}
          {accepted.length > 1 && (
            <Button look="quiet" icon="close" onClick={() => removeFiles(accepted)}>
              Remove the {accepted.length} that were accepted
            </Button>
          )}
        </p>
      )}
      {all.length > 0 && (
        <section class="panel flush">
          <ul class="uploads">
            {all.map((file) => (
              <UploadRow key={file.what.idempotencyKey} file={file} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
