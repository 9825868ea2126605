/** The follow-ups of an outcome: the chunks that carry its retries or its parts. */
import { outcomeBlobName, retryChunkId, splitChunkId } from '../../contract/names.ts';
import type { OutcomeHeader } from '../../contract/outcome.ts';
import type { Reference } from '../../contract/reference.ts';
import type { ChunkRow } from '../chunk-row.ts';

/**
 * Returns the pending rows that follow from an outcome: a pure function of the chunk's reference and the stored header,
 * so that every repeat returns the same chunks with the same bytes.
 */
export function followUps(reference: Reference, header: OutcomeHeader): ChunkRow[] {
  if (header.ending === 'split') return splitParts(reference, header);
  const { retries } = header;
  if (retries === undefined) return [];
  const chunk = retryChunkId(reference.chunk);
  return [pending({ ...base(reference), chunk, kind: 'retries', ...inOutcome(reference, retries) }, header.dueAt)];
}

function splitParts(reference: Reference, header: OutcomeHeader): ChunkRow[] {
  return (header.parts ?? []).map(([skip, take], part) =>
    pending({ ...base(reference), chunk: splitChunkId(reference.chunk, part), skip, take }),
  );
}

/** Returns a reference without the fields that belong to one delivery of it. */
function base(reference: Reference): Reference {
  const { starts: _starts, returned: _returned, resent: _resent, skip: _skip, take: _take, ...rest } = reference;
  return rest;
}

function inOutcome(reference: Reference, place: NonNullable<OutcomeHeader['retries']>): Partial<Reference> {
  const blob = outcomeBlobName(reference.workload, reference.batch, reference.chunk);
  const { offset, length, bytes, items, digest } = place;
  return { container: 'results', blob, offset, length, bytes, items, digest, firstItem: 0 };
}

function pending(reference: Reference, dueAt?: string): ChunkRow {
  const items = reference.take ?? reference.items;
  return {
    batch: reference.batch,
    chunk: reference.chunk,
    state: 'pending',
    items,
    reference,
    ...(dueAt === undefined ? {} : { dueAt }),
  };
}
