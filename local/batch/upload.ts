import type { Screen } from '../../cli/process/status-line.ts';
import { openSource, type SourceWorld } from '../../cli/upload/input.ts';
import { showUpload } from '../../cli/upload/progress.ts';
import { type PostedBatch, postBatch } from '../../cli/upload/send/post-batch.ts';
import type { SluiceApi } from './api.ts';
import type { Submission } from './submission.ts';

const WORLD: SourceWorld = { io: { folder: process.cwd(), stdin: process.stdin, randomId: () => '', fetch } };

/**
 * Streams a file to the pipeline and shows the progress. Throws ApiProblem if the pipeline refuses it. With `isOnce`, the
 * upload has the idempotency key with which `sluice submit` sends the same file.
 */
export async function uploadFile(
  api: SluiceApi,
  { file, workload, csv: flags = {}, isOnce = false }: Pick<Submission, 'file' | 'workload' | 'csv' | 'isOnce'>,
  screen: Screen,
): Promise<PostedBatch> {
  const { kind, csv, size, remark, fileName, open, contentKey } = await openSource(WORLD, file, flags);
  if (remark !== undefined) screen.write(`${remark}\n`);
  const key = isOnce ? await contentKey() : undefined;
  return showUpload(screen, (onProgress) =>
    postBatch(api, {
      ...{ workload, key, kind, csv, size, onProgress, fileName },
      source: open(),
      userAgent: 'sluice-demo',
    }),
  );
}
