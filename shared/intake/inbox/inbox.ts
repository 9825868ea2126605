/**
 * The inbox: a file dropped at `inbox/<workload>/[<lane>/]<name>` becomes a batch and moves to `inbox-done`, or to
 * `inbox-rejected` with the reason beside it. A crash at any point repeats with the same idempotency key, and a large file
 * goes on from its checkpoint. A file that cannot be read, judged or moved stays, is logged and counted, and keeps no other
 * from being taken.
 */
import type { BlobItem } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { errorCodeOf } from '../../errors.ts';
import { createSlots } from '../../slots.ts';
import { log } from '../../telemetry/log.ts';
import { isImport } from '../import/import-file.ts';
import { InboxMarks } from './inbox-marks.ts';
import { isOwnFile, isUnknownYet } from './own-files.ts';
import { type FileEnd, type InboxDeps, type Taking, takeFile } from './take-file.ts';

/** No file is begun after this long: the function must end within its timeout. */
const MAX_COLLECT_MS = 5 * 60_000;
/**
 * Reading ends after this long, with a checkpoint for the next look. Of the ten minutes that `functionTimeout` (host.json)
 * gives, two and a half are left for the calls under way: a block and the checkpoint, each tried for a minute at most
 * (storage/policies/retry-limits.ts), and ten seconds for a copy.
 */
const MAX_READ_MS = 7.5 * 60_000;
/**
 * Files that are taken side by side: about 30 MiB of memory each, so 180 MiB for both kinds, beside 16 uploads over
 * HTTP. More would not be faster, as all are parsed by the main thread: a few keep it busy while others wait for
 * storage. Large files have slots of their own, so that they can never take all.
 */
const SMALL_AT_ONCE = 4;
const LARGE_AT_ONCE = 2;
/** Size as stored; a smaller file takes a second or two. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** Large files that one look keeps for a free slot; the next look finds the others. */
const MAX_LARGE = 1_000;
/** Stuck files that one look logs one by one; all of them are counted. */
const MAX_STUCK_LINES = 20;

/** The outcome of one look into the inbox: the number of files per end. */
export type InboxResult = Record<FileEnd['end'], number>;

interface Look extends Taking {
  result: InboxResult;
  /** Service time after which no file is begun. */
  untilMs: number;
  complete: boolean;
  /** Whether own files were left for a later look without being asked for their marks. */
  leftSome: boolean;
}

/**
 * Takes the files of the inbox that are this app's, several side by side. An empty inbox costs one operation: one listing of
 * the container, of which the files of other pools are skipped. A listing per workload would cost that many operations in
 * each look, and would miss the files that name no workload.
 */
export async function collectInbox(deps: InboxDeps): Promise<InboxResult> {
  const reading = new AbortController();
  const timer = setTimeout(() => reading.abort(), MAX_READ_MS);
  const look: Look = {
    inbox: deps.container(CONTAINERS.inbox),
    marks: new InboxMarks(deps.keys),
    result: { accepted: 0, rejected: 0, deferred: 0, unfinished: 0, stuck: 0 },
    signal: reading.signal,
    maxBytes: deps.settings.maxInboxBytes,
    maxBytesSetting: 'SLUICE_MAX_INBOX_BYTES',
    untilMs: deps.gate.now() + MAX_COLLECT_MS,
    complete: true,
    leftSome: false,
  };
  try {
    const files = await takeFiles(deps, look);
    if (look.complete && !look.leftSome) await look.marks.forgetOthers((name) => isOwnFile(deps, name));
    if (files > 0) log.info('inbox-collected', { ...look.result });
    return look.result;
  } finally {
    clearTimeout(timer);
  }
}

/** Takes the files and returns how many there were. The listing waits while all slots for small files are taken. */
async function takeFiles(deps: InboxDeps, look: Look): Promise<number> {
  const [small, large] = [createSlots(SMALL_AT_ONCE), createSlots(LARGE_AT_ONCE)];
  const taking = new Set<Promise<void>>();
  let files = 0;
  try {
    for await (const file of look.inbox.listBlobsFlat({ includeMetadata: true })) {
      if (isOver(deps, look)) break;
      if (!isOwnFile(deps, file.name)) continue;
      if (isUnknownYet(deps, file, deps.gate.now())) {
        look.leftSome = true;
        continue;
      }
      files += 1;
      const slots = isImport(file.name) || (file.properties.contentLength ?? 0) > LARGE_BYTES ? large : small;
      if (slots.waiting >= MAX_LARGE) look.leftSome = true;
      else {
        const taken = slots.run(() => takeNext(deps, look, file)).finally(() => taking.delete(taken));
        taking.add(taken);
      }
      while (small.waiting > 0) await Promise.race(taking);
    }
  } finally {
    await Promise.all(taking);
  }
  return files;
}

async function takeNext(deps: InboxDeps, look: Look, file: BlobItem): Promise<void> {
  if (isOver(deps, look)) return;
  const taken = await takeFile(deps, look, file);
  if (taken.end === 'stuck' && look.result.stuck < MAX_STUCK_LINES) {
    const { error, decision } = taken;
    log.error('inbox-stuck', { file: file.name, ...decision, error, code: errorCodeOf(error) });
  }
  look.result[taken.end] += 1;
}

/** Whether no further file is begun in this look. */
function isOver({ gate }: InboxDeps, look: Look): boolean {
  if (gate.now() > look.untilMs) look.complete = false;
  return !look.complete;
}
