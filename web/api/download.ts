import { createApi } from './client.ts';

/** What to download: all pages, as one file. */
export interface Download {
  route: 'GET batches/{id}/results' | 'GET batches/{id}/report' | 'GET batches/{id}/dead-letters';
  id: string;
  format: 'csv' | 'ndjson';
  file: string;
}

/** A page of results may take long on a slow connection; a shorter timeout would restart it from the beginning. */
const WHOLE_MS = 60 * 60_000;
const slow = createApi({ readMs: WHOLE_MS });

/**
 * Fetches with the key in a header. A plain link would need the key in its address, and would put it into logs and
 * histories. The parts are blobs, which the browser may keep on disk.
 */
export async function download({ route, id, format, file }: Download, onBytes: (bytes: number) => void): Promise<void> {
  const pieces: Blob[] = [];
  for await (const answer of slow.pages(route, { path: { id }, query: { format } })) {
    pieces.push(await answer.blob());
    onBytes(pieces.reduce((sum, { size }) => sum + size, 0));
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
