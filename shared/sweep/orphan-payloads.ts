import type { BlobItem } from '@azure/storage-blob';
import { KEY_DAYS } from '../batches/keys.ts';
import { readBatch } from '../batches/ledger.ts';
import { CHECKPOINTS_PREFIX, CONTAINERS, isBatchId } from '../contract/names.ts';
import { DAY_MS } from '../days.ts';
import { statusOf } from '../errors.ts';
import { isOver, repaired, type SweepRun } from './run.ts';

/** Ids begin with their time in milliseconds: five of its twelve hex digits are a window of 3.1 days, and a prefix of names. */
const WINDOW_MS = 2 ** 28;
const WINDOW_DIGITS = 5;
/** An upload with a key may begin late under an id of its key's first use, and may take a day. */
const LOOK_BACK_MS = (KEY_DAYS + 1) * DAY_MS;

/**
 * Deletes payloads that no batch row names a day after they were written: uploads that died before their acceptance. Blocks of
 * an intake under way are not listed. Deletes checkpoints that were last written a day ago, too: nobody uses them any more. Each payload is looked at once, on the day after; the listing goes by the time in the names, so that its cost does not
 * grow with what is kept.
 */
export async function dropOrphanPayloads(run: SweepRun, sinceMs: number): Promise<boolean> {
  const untilMs = run.gate.now() - run.patient.orphanMs;
  const fromMs = sinceMs - run.patient.orphanMs;
  for (let at = firstWindow(fromMs, untilMs); at <= run.gate.now(); at += WINDOW_MS) {
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

/** The first time ever looks back as far as any other: what lies before was somebody else's. */
const firstWindow = (fromMs: number, untilMs: number): number =>
  Math.floor(Math.max(fromMs - LOOK_BACK_MS, untilMs - 2 * LOOK_BACK_MS) / WINDOW_MS) * WINDOW_MS;

/** An id has its first dash behind the eighth digit, so that five make a plain prefix. */
const prefixOf = (ms: number): string => ms.toString(16).padStart(12, '0').slice(0, WINDOW_DIGITS);

async function dropIfOrphan(run: SweepRun, blob: BlobItem): Promise<void> {
  const [batch = ''] = blob.name.split('/');
  if (!isBatchId(batch)) return; // No payload of ours; and not every text may be a row key.
  if ((await readBatch(run.table, batch))?.row.payload === blob.name) return;
  if (await deletesVersion(run, blob)) repaired(run, 'orphanPayloads', { event: 'orphan-payload', payload: blob.name });
}

/** Deletes a blob as it was listed; false when it is gone or was changed. */
async function deletesVersion(run: SweepRun, { name, properties }: BlobItem): Promise<boolean> {
  try {
    await run.container(CONTAINERS.payloads).deleteBlob(name, { conditions: { ifMatch: properties.etag } });
    return true;
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 412) throw error;
    return false;
  }
}
