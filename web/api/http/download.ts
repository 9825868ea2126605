import { nextPage, request } from './request.ts';

/** What to download: all pages from `path` on, as one file. */
export interface Download {
  path: string;
  file: string;
}

/** A page of results may take long on a slow connection; a shorter timeout would restart it from the beginning. */
const WHOLE_MS = 60 * 60_000;

/**
 * Fetches with the key in a header. A plain link would need the key in its address, and would put it into logs and
 * histories. The parts are blobs, which the browser may keep on disk.
 */
export async function download({ path, file }: Download, onBytes: (bytes: number) => void): Promise<void> {
  const pieces: Blob[] = [];
  let bytes = 0;
  for (let at: string | URL | undefined = path; at !== undefined; ) {
    const answer: Response = await request(at, { timeoutMs: WHOLE_MS });
    const piece = await answer.blob();
    pieces.push(piece);
    bytes += piece.size;
    onBytes(bytes);
    at = nextPage(answer);
  }
  save(new Blob(pieces, { type: pieces[0]?.type ?? '' }), file);
}

function save(blob: Blob, file: string): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(blob);
  anchor.download = file;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
}
