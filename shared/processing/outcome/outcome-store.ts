/**
 * The outcome of a chunk: a create-only blob whose name follows from the chunk.
 *
 * Invariant: from the first put on, a chunk has the same outcome, and everything that follows from it (counters, retries,
 * dead letters, report) is taken from that one.
 * The interleaving that would break it: worker A stores its outcome and dies before its result message; B runs the
 * redelivered chunk with another result, and reports that. Therefore a worker that does not store first reads the stored
 * header and reports that one. A put whose answer was lost looks the same, and is recognized by its own header.
 * Test: tests/faults/chunk-life/chunk-life.test.ts, with two workers, crashes at any step and lost answers.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ContainerClient } from '@azure/storage-blob';
import { outcomeBlobName } from '../../contract/names.ts';
import { type OutcomeHeader, outcomeHeaderSchema } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import { asciiJson } from '../../contract/text/text.ts';
import { statusOf } from '../../errors.ts';
import { blobProperties } from '../../storage/blob-reads.ts';
import type { ChunkOutcome } from './encode/encode-outcome.ts';
import { withCauses } from './header-causes.ts';

const HEADER_KEY = 'outcome';

type Named = Pick<Reference, 'workload' | 'batch' | 'chunk'>;
const blobOf = (results: ContainerClient, { workload, batch, chunk }: Named) =>
  results.getBlockBlobClient(outcomeBlobName(workload, batch, chunk));

/** Reads the header of a chunk's stored outcome; undefined if there is none. */
export async function readOutcomeHeader(results: ContainerClient, chunk: Named): Promise<OutcomeHeader | undefined> {
  const found = await blobProperties(blobOf(results, chunk));
  return found && outcomeHeaderSchema.parse(JSON.parse(found.metadata?.[HEADER_KEY] ?? ''));
}

/**
 * Stores a chunk's outcome with its causes if it is the first, and returns the stored header. The blob is the only
 * arbiter: a worker that comes second continues with the first outcome, whatever its own result is. `isSent`: the service
 * has confirmed that it has the whole body, so that those bytes are not read again.
 */
export async function putOutcome(
  results: ContainerClient,
  chunk: Named,
  outcome: Pick<ChunkOutcome, 'header' | 'body' | 'causes'>,
): Promise<{ header: OutcomeHeader; first: boolean; isSent: boolean }> {
  const { body } = outcome;
  const header = withCauses(outcome.header, outcome.causes);
  try {
    await blobOf(results, chunk).upload(body, body.length, {
      conditions: { ifNoneMatch: '*' },
      metadata: { [HEADER_KEY]: asciiJson(header) },
      blobHTTPHeaders: { blobContentType: 'application/zstd' },
    });
    return { header, first: true, isSent: true };
  } catch (error) {
    if (statusOf(error) !== 409 && statusOf(error) !== 412) throw error;
    const stored = await readOutcomeHeader(results, chunk);
    if (stored === undefined) throw error;
    return { header: stored, first: isSame(stored, header), isSent: false };
  }
}

/** Whether only the answer of our own put was lost: the measured seconds make each header of a run unique. */
const isSame = (stored: OutcomeHeader, own: OutcomeHeader): boolean =>
  isDeepStrictEqual(stored, outcomeHeaderSchema.parse(JSON.parse(JSON.stringify(own))));
