import type { BlobItem } from '@azure/storage-blob';
import { KEY_DAYS } from '../batches/keys.ts';
import { readBatch } from '../batches/ledger.ts';
import { CHECKPOINTS_PREFIX, CONTAINERS, isBatchId } from '../contract/names.ts';
import { DAY_MS } from '../days.ts';
import { statusOf } from '../errors.ts';
import { isOver, repaired, type SweepRun } from './sweep-run.ts';

/** The first five of the twelve hex digits of an id's time are a window of 3.1 days, and a prefix of blob names. */
const WINDOW_MS = 2 ** 28;
const WINDOW_DIGITS = 5;
/** An upload with a key may start long after the key's first use, which determines its id, and may take a day. */
const LOOK_BACK_MS = (KEY_DAYS + 1) * DAY_MS;
/** An id is older than its payload, except for the error of a clock that storage has not set yet. */
const CLOCK_ERROR_MS = 60 * 60 * 1000;

/**
 * Deletes payloads that no batch row contains one day after they were written: uploads that died before their
 * acceptance. Blocks of a running intake are not listed. Also deletes checkpoints that were last written more than one
 * day ago, since they are no longer used. Each payload is checked once, on the next day. The listing uses the time in
 * the names, so that its cost does not grow with the stored data.
 */
export async function dropOrphanPayloads(run: SweepRun, sinceMs: number): Promise<boolean> {
  const untilMs = run.gate.now() - run.patient.orphanMs;
  const fromMs = sinceMs - run.patient.orphanMs;
  for (let at = firstWindow(fromMs, untilMs); at <= untilMs + CLOCK_ERROR_MS; at += WINDOW_MS) {
    for await (const blob of run.container(CONTAINERS.payloads).listBlobsFlat({ prefix: prefixOf(at) })) {
      if (isOver(run)) return true;
      const writtenMs = blob.properties.lastModified.getTime();
      if (writtenMs > fromMs && writtenMs <= untilMs) await dropIfOrphan(run, blob);
    }
  }
  return dropOldCheckpoints(run, untilMs);
}

async function dropOldCheckpoints(run: SweepRun, untilMs: number): Promise<boolean> {
  for await (const blob of run.container(CONTAINERS.payloads).listBlobsFlat({ prefix: CHECKPOINTS_PREFIX })) {
    if (isOver(run)) return true;
    if (blob.properties.lastModified.getTime() <= untilMs && (await deletesVersion(run, blob)))
      repaired(run, 'orphanPayloads', { event: 'orphan-checkpoint', checkpoint: blob.name });
  }
  return false;
}

/** The first sweep looks no further back than any other: older payloads were never part of this deployment. */
const firstWindow = (fromMs: number, untilMs: number): number =>
  Math.floor(Math.max(fromMs - LOOK_BACK_MS, untilMs - 2 * LOOK_BACK_MS) / WINDOW_MS) * WINDOW_MS;

/** The first dash of an id is after the eighth digit, so that the first five digits form a prefix without a dash. */
const prefixOf = (ms: number): string => ms.toString(16).padStart(12, '0').slice(0, WINDOW_DIGITS);

async function dropIfOrphan(run: SweepRun, blob: BlobItem): Promise<void> {
  const [batch = ''] = blob.name.split('/');
  if (!isBatchId(batch)) return; // Not a payload of Sluice; and not every text is a valid row key.
  if ((await readBatch(run.table, batch))?.row.payload === blob.name) return;
  if (await deletesVersion(run, blob)) repaired(run, 'orphanPayloads', { event: 'orphan-payload', payload: blob.name });
}

/** Deletes a blob in the listed version; returns false if it is gone or was changed. */
async function deletesVersion(run: SweepRun, { name, properties }: BlobItem): Promise<boolean> {
  try {
    await run.container(CONTAINERS.payloads).deleteBlob(name, { conditions: { ifMatch: properties.etag } });
    return true;
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    return false;
  }
}
