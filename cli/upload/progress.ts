import { createStatusLine, type Screen } from '../process/status-line.ts';
import { formatBar, formatSize } from '../text/format.ts';
import type { UploadProgress } from './send/body.ts';

/** Runs an upload and shows its progress in a status line. */
export async function showUpload<T>(
  screen: Screen,
  upload: (onProgress: (progress: UploadProgress) => void) => Promise<T>,
): Promise<T> {
  const line = createStatusLine(screen, performance.now.bind(performance));
  let last = '';
  const show = (progress: UploadProgress): void => {
    last = describeUpload(progress);
    line.show(last);
  };
  try {
    return await upload(show);
  } finally {
    if (last !== '') line.finish(last);
  }
}

/** Describes the progress in one line, with a bar if the size is known. */
function describeUpload({ read, size, sent }: UploadProgress): string {
  const of = size === undefined ? ' read' : ` of ${formatSize(size)}`;
  const bar = size === undefined ? '' : `${formatBar(size === 0 ? 1 : read / size)} `;
  return `Upload  ${bar}${formatSize(read)}${of}, ${formatSize(sent)} sent`;
}
