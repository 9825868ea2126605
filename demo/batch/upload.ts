import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Screen } from '../../cli/text/status-line.ts';
import { kindOfFile } from '../../cli/upload/kind.ts';
import { postBatch } from '../../cli/upload/post-batch.ts';
import { showUpload } from '../../cli/upload/progress.ts';
import type { Batch, SluiceApi } from './api.ts';
import type { Submission } from './submission.ts';

/** Streams a file to the pipeline and shows how far it is. Throws ApiProblem when the pipeline does not take it. */
export async function uploadFile(
  api: SluiceApi,
  { file, workload, csv = {} }: Pick<Submission, 'file' | 'workload' | 'csv'>,
  screen: Screen,
): Promise<Batch> {
  const kind = kindOfFile(file);
  const { size } = await stat(file);
  const { batch } = await showUpload(screen, (onProgress) =>
    postBatch(api, {
      ...{ workload, kind, csv, size, onProgress, fileName: basename(file) },
      source: createReadStream(file),
      userAgent: 'sluice-demo',
    }),
  );
  return batch;
}
