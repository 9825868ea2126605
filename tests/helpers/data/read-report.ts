import { zstdDecompressSync } from 'node:zlib';
import type { ContainerClient } from '@azure/storage-blob';
import { SKIPPABLE_OVERHEAD } from '../../../shared/contract/frame.ts';
import { openReport, type ReportHeader } from '../../../shared/results/read-report.ts';

/** Reads a whole report; undefined if there is none. */
export async function readReport(
  reports: ContainerClient,
  batch: string,
  revision: number,
): Promise<{ header: ReportHeader; lines: string[] } | undefined> {
  const report = await openReport(reports, batch, revision);
  if (!report) return undefined;
  const lines: string[] = [];
  for await (const some of report.lines()) lines.push(...some);
  return { header: report.header, lines };
}

/** Returns the lines of a report as stored. */
export function reportLinesIn(stored: Buffer): string[] {
  const frame = stored.subarray(SKIPPABLE_OVERHEAD + stored.readUInt32LE(4));
  return zstdDecompressSync(frame).toString('utf8').split('\n').slice(0, -1);
}
