import type { BlobClient, ContainerClient } from '@azure/storage-blob';
import { z } from 'zod';
import { FrameError } from '../contract/errors.ts';
import { decodePieces, SKIPPABLE_OVERHEAD, skippablePayload } from '../contract/frame.ts';
import { reportBlobName } from '../contract/names.ts';
import { statusOf } from '../errors.ts';
import { downloadedPieces, downloadStart, openDownload } from '../storage/blob-reads.ts';

const count = z.number().int().nonnegative();

/** The header of a stored report. `createdAt` is when the last chunk was done. */
export const reportHeaderSchema = z.object({
  batch: z.string(),
  revision: count,
  counts: z.object({ accepted: count, succeeded: count, dead: count, discarded: count, cancelled: count }),
  rows: count,
  createdAt: z.string(),
});
export type ReportHeader = z.infer<typeof reportHeaderSchema>;

/**
 * A stored report. `lines` reads its lines from the blob, each time it is called: JSON texts of {key, value}, sorted by key, in
 * the pieces in which they arrive. It throws FrameError if the blob is damaged.
 */
export interface Report {
  header: ReportHeader;
  lines: () => AsyncGenerator<string[]>;
}

/** A header has less than 1 KiB. */
const HEADER_BYTES = 4 * 1024;

/**
 * Opens the report of a batch's revision, of any size; undefined if there is none. Requires one operation, and one each time
 * its lines are read.
 * @throws FrameError if its header is damaged.
 */
export async function openReport(
  reports: ContainerClient,
  batch: string,
  revision: number,
): Promise<Report | undefined> {
  const blob = reports.getBlobClient(reportBlobName(batch, revision));
  try {
    const { etag, bytes } = await downloadStart(blob, HEADER_BYTES);
    const offset = bytes.length < SKIPPABLE_OVERHEAD ? 0 : SKIPPABLE_OVERHEAD + bytes.readUInt32LE(4);
    const header = reportHeaderSchema.parse(JSON.parse(skippablePayload(bytes.subarray(0, offset)).toString('utf8')));
    return { header, lines: () => readLines(blob, { offset, etag, header }) };
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

async function* readLines(
  blob: BlobClient,
  { offset, etag, header }: { offset: number; etag: string | undefined; header: ReportHeader },
): AsyncGenerator<string[]> {
  const { body } = await openDownload(blob, { offset, ifMatch: etag });
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let [open, read] = ['', 0];
  for await (const piece of decodePieces(downloadedPieces(body))) {
    // A line may be longer than many pieces: only the new text is searched.
    const [first = '', ...others] = decoder.decode(piece, { stream: true }).split('\n');
    open += first;
    const last = others.pop();
    if (last === undefined) continue;
    const lines = [open, ...others];
    open = last;
    read += lines.length;
    yield lines;
  }
  // A decoder may end at a truncated frame without an error.
  if (read !== header.rows)
    throw new FrameError(`Report of ${header.batch}: expected ${header.rows} lines, got ${read}.`);
}
