import type { ContainerClient } from '@azure/storage-blob';
import { z } from 'zod';
import { FrameError } from '../contract/errors.ts';
import { decodeFrameUpTo, SKIPPABLE_OVERHEAD, skippablePayload } from '../contract/frame.ts';
import { reportBlobName } from '../contract/names.ts';
import { unlessStatus } from '../errors.ts';
import { splitLines } from '../processing/sources.ts';
import { downloadBytes } from '../storage/blob-reads.ts';

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

/** A report as stored: `lines` are JSON texts of {key, value}, sorted by key. */
export interface Report {
  header: ReportHeader;
  lines: string[];
}

/** A report has at most `reduce.maxKeys` lines and was created in memory; this only limits the memory for a damaged blob. */
const MAX_REPORT_BYTES = 512 * 1024 * 1024;

/**
 * Reads the report of a batch's revision; undefined if there is none.
 * @throws FrameError if the blob is damaged.
 */
export async function readReport(
  reports: ContainerClient,
  batch: string,
  revision: number,
): Promise<Report | undefined> {
  const blob = reports.getBlobClient(reportBlobName(batch, revision));
  const bytes = await unlessStatus([404], downloadBytes(blob));
  return bytes && parseReport(bytes);
}

/** Reads a report's bytes: a header in a skippable frame, then the lines in a zstd frame. Throws FrameError. */
export function parseReport(bytes: Buffer): Report {
  const headerEnd = bytes.length < SKIPPABLE_OVERHEAD ? 0 : SKIPPABLE_OVERHEAD + bytes.readUInt32LE(4);
  const header = reportHeaderSchema.parse(JSON.parse(skippablePayload(bytes.subarray(0, headerEnd)).toString('utf8')));
  const lines = splitLines(decodeFrameUpTo(bytes.subarray(headerEnd), MAX_REPORT_BYTES).toString('utf8'));
  // Node 22 decodes a truncated frame to nothing, without an error.
  if (lines.length !== header.rows) {
    throw new FrameError(`Report of ${header.batch}: expected ${header.rows} lines, got ${lines.length}.`);
  }
  return { header, lines };
}
