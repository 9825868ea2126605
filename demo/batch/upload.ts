import { basename } from 'node:path';
import type { Screen } from '../../cli/process/status-line.ts';
import { openSource, type SourceWorld } from '../../cli/upload/input.ts';
import { showUpload } from '../../cli/upload/progress.ts';
import { postBatch } from '../../cli/upload/send/post-batch.ts';
import type { Batch, SluiceApi } from './api.ts';
import type { Submission } from './submission.ts';

const WORLD: SourceWorld = { io: { folder: process.cwd(), stdin: process.stdin, randomId: () => '' } };

/** Streams a file to the pipeline and shows the progress. Throws ApiProblem if the pipeline refuses it. */
export async function uploadFile(
  api: SluiceApi,
  { file, workload, csv: flags = {} }: Pick<Submission, 'file' | 'workload' | 'csv'>,
  screen: Screen,
): Promise<Batch> {
  const { kind, csv, size, remark, open } = await openSource(WORLD, file, flags);
  if (remark !== undefined) screen.write(`${remark}\n`);
  const { batch } = await showUpload(screen, (onProgress) =>
    postBatch(api, {
      ...{ workload, kind, csv, size, onProgress, fileName: basename(file) },
      source: open(),
      userAgent: 'sluice-demo',
    }),
  );
  return batch;
}
