import { z } from 'zod';
import { chunkRows } from '../../../batches/ledger.ts';
import { CONTAINERS } from '../../../contract/names.ts';
import { readAhead } from '../../../parallel.ts';
import { type ChunkFrame, planPage, readLines } from '../../../results/chunk-pages.ts';
import { json } from '../../edge/answers.ts';
import type { Stored } from '../../edge/app.ts';
import { AHEAD } from '../../edge/body.ts';
import { answerFormat, MEDIA_TYPES } from '../../edge/formats.ts';
import { nextLink } from '../../edge/links.ts';
import { batchOf, chunkOf, wholeOf } from '../../edge/request/parameters.ts';
import { type Handle, query, whole } from '../../edge/route.ts';
import { COMPONENTS, count } from '../../edge/schemas.ts';
import { csvResults } from './results-csv.ts';

const framePlace = z.object({ offset: count, length: count, bytes: count, items: count, digest: z.string() });

/** The positions of the results of a batch: each is a zstd frame of NDJSON in a blob of `container`. */
export const resultsManifestSchema = z
  .object({
    batch: z.string(),
    container: z.string(),
    blobs: z.array(framePlace.extend({ chunk: z.string(), blob: z.string() })),
  })
  .register(COMPONENTS, { id: 'ResultsManifest' });
type ResultsManifest = z.infer<typeof resultsManifestSchema>;

const MiB = 1024 * 1024;
/**
 * Page size in decoded bytes. The HTTP library buffers what a slow client has not read yet, so this bounds the memory per
 * answer.
 */
const PAGE_BYTES = 64 * MiB;
export const LIMIT = query('limit', 'Maximum number of chunks per page', whole(1, 1_000, 1_000));

/**
 * GET batches/{id}/results: a page of the results of the finished chunks in row order, as NDJSON or CSV. `?manifest` returns
 * the positions of the frames instead. While the batch runs, the answer is incomplete; a header contains its state.
 */
export const getResults: Handle<Stored> = async (deps, request) => {
  const { row: batch } = await batchOf(request, deps.table);
  const manifest = request.query.has('manifest');
  const format = answerFormat(request, ['ndjson', 'csv']);
  const rows = chunkRows(deps.table, batch.id, { state: 'done', first: chunkOf(request, 'from') });
  const page = await planPage(rows, 'results', {
    chunks: wholeOf(request, LIMIT),
    bytes: manifest ? Number.POSITIVE_INFINITY : PAGE_BYTES,
  });
  const state = { 'sluice-batch-state': batch.state };
  const headers = { ...state, ...nextLink(request, { from: page.next }) };
  if (manifest) return json(manifestOf(batch.id, page.frames), { headers });
  const results = deps.container(CONTAINERS.results);
  const chunks = readAhead(page.frames, AHEAD, (frame) => readLines(results, frame));
  if (format === 'csv') return csvResults(request, chunks, { from: page.next, headers: state });
  return { headers: { ...headers, 'content-type': MEDIA_TYPES.ndjson }, stream: ndjson(chunks) };
};

async function* ndjson(chunks: AsyncIterable<string[]>): AsyncGenerator<string> {
  for await (const lines of chunks) if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

const manifestOf = (batch: string, frames: readonly ChunkFrame[]): ResultsManifest => ({
  batch,
  container: CONTAINERS.results,
  blobs: frames.map(({ row, blob, place }) => ({ chunk: row.chunk, blob, ...place })),
});
