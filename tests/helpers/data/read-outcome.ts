/** Reads the frames of an outcome. */
import type { DeadItem, FailedFold, OutcomeHeader, PartialLine, RetryItem } from '../../../shared/contract/outcome.ts';
import { type FetchBytes, readFrameLines } from '../../../shared/processing/outcome/read-outcome.ts';

/** Reads the results as JSON text, in the order of the chunk's items. */
export const readResultLines = (header: OutcomeHeader, fetchBytes: FetchBytes): Promise<string[]> =>
  readFrameLines(header.results, fetchBytes);

/** Reads the items that must be tried again. */
export const readRetries = async (header: OutcomeHeader, fetchBytes: FetchBytes): Promise<RetryItem[]> =>
  (await readFrameLines(header.retries, fetchBytes)).map((line) => JSON.parse(line));

/** Reads the dead letters. */
export const readDead = async (header: OutcomeHeader, fetchBytes: FetchBytes): Promise<DeadItem[]> =>
  (await readFrameLines(header.dead, fetchBytes)).map((line) => JSON.parse(line));

/** Reads the partial aggregate, sorted by key, or the line of a fold that failed. */
export const readPartial = async (
  header: OutcomeHeader,
  fetchBytes: FetchBytes,
): Promise<(PartialLine | FailedFold)[]> =>
  (await readFrameLines(header.partial, fetchBytes)).map((line) => JSON.parse(line));
