/**
 * The outcome of a chunk: a create-only blob whose name follows from the chunk.
 *
 * Invariant: a chunk has the same outcome from the first put on, and all that follows from it (counters, retries, dead
 * letters, report) is taken from that one.
 * The interleaving that would break it: worker A stores its outcome and dies before its result message; B runs the
 * redelivered chunk with another result, and reports that. So whoever does not store first reads the header that stands,
 * and reports this one. A put whose answer was lost looks the same, and is recognised by its own header.
 * Test: tests/faults/chunk-life/chunk-life.test.ts, with two workers, crashes at any step and lost answers.
 */
import { isDeepStrictEqual } from 'node:util';
import type { ContainerClient } from '@azure/storage-blob';
import { outcomeBlobName } from '../../contract/names.ts';
import { type OutcomeHeader, outcomeHeaderSchema } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import { asciiJson } from '../../contract/text/text.ts';
import { statusOf } from '../../errors.ts';
import type { ChunkOutcome } from '../thread/thread-task.ts';
import { withCauses } from './header-causes.ts';

/** The metadata key under which an outcome's header lies. */
const HEADER_KEY = 'outcome';

type Named = Pick<Reference, 'workload' | 'batch' | 'chunk'>;
const blobOf = (results: ContainerClient, { workload, batch, chunk }: Named) =>
  results.getBlockBlobClient(outcomeBlobName(workload, batch, chunk));

/** The header of a chunk's stored outcome, or undefined while there is none. */
export async function readOutcomeHeader(results: ContainerClient, chunk: Named): Promise<OutcomeHeader | undefined> {
  try {
    const { metadata } = await blobOf(results, chunk).getProperties();
    return outcomeHeaderSchema.parse(JSON.parse(metadata?.[HEADER_KEY] ?? ''));
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}

/**
 * Stores a chunk's outcome with its causes, if it is the first, and gives the header of the one that stands. The blob is the only
 * arbiter: whoever comes second, with whatever result, goes on with the first one's. `isSent`: the service has said that it has
 * all of the body, so that nothing reads those bytes any more.
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

/** Whether the answer to our own put was lost: the measured seconds alone make a header that has run like no other. */
const isSame = (stored: OutcomeHeader, own: OutcomeHeader): boolean =>
  isDeepStrictEqual(stored, outcomeHeaderSchema.parse(JSON.parse(JSON.stringify(own))));
