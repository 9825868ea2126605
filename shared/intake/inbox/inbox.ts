/**
 * The inbox: a file at `inbox/<workload>/[<lane>/]<name>` becomes a batch and is moved to `inbox-done`, or to
 * `inbox-rejected` with the reason beside it. After a crash at any point, the file is taken again with the same idempotency
 * key, and a large file continues from its checkpoint. A file that cannot be read, judged or moved stays in the inbox. It
 * is logged and counted, and does not prevent other files from being taken.
 */
import type { BlobItem } from '@azure/storage-blob';
import { CONTAINERS } from '../../contract/names.ts';
import { errorCodeOf } from '../../errors.ts';
import { createSlots, NoSlotError } from '../../slots.ts';
import { log } from '../../telemetry/log.ts';
import { isFileOfApp, isUnknownYet } from './app-files.ts';
import { isImport } from './import-file.ts';
import type { InboxDeps, Taking } from './inbox-deps.ts';
import { InboxMarks } from './inbox-marks.ts';
import { type FileEnd, takeFile } from './take-file.ts';

/** No file is started after this time: the function must end within its timeout. */
const MAX_COLLECT_MS = 5 * 60_000;
/**
 * Reading ends after this time, with a checkpoint for the next inbox scan. `functionTimeout` (host.json) is ten minutes,
 * so two and a half remain for the calls in progress: a block and the checkpoint, each tried for at most a minute
 * (storage/policies/retry-limits.ts), and ten seconds for a copy.
 */
const MAX_READ_MS = 7.5 * 60_000;
/**
 * Number of files that are taken at the same time. Each needs about 30 MiB of memory, so both kinds need 180 MiB, beside 16
 * uploads over HTTP. More would not be faster, because the main thread parses all of them: a few keep it busy while others
 * wait for storage. Large files have separate slots, so that they never occupy all slots.
 */
const SMALL_AT_ONCE = 4;
const LARGE_AT_ONCE = 2;
/** Size as stored; a smaller file takes one or two seconds. */
const LARGE_BYTES = 32 * 1024 * 1024;
/** Maximum number of large files that one scan queues for a free slot; the next scan finds the others. */
const MAX_LARGE = 1_000;
/** Maximum number of stuck files that one scan logs individually; all of them are counted. */
const MAX_STUCK_LINES = 20;

export type InboxResult = Record<Exclude<FileEnd['end'], 'suspect'>, number>;

interface InboxScan extends Taking {
  result: InboxResult;
  /** Service time after which no file is started. */
  untilMs: number;
  /** Whether own files were left for a later scan: then the listing shows nothing about their marks. */
  leftSome: boolean;
  /** Files that are taken alone, after all others. */
  suspects: BlobItem[];
}

/**
 * Takes this app's files of the inbox, several at the same time. An empty inbox costs one operation: one listing of the
 * container, in which the files of other pools are skipped. One listing per workload would cost that many operations per
 * scan, and would miss the files whose path contains no workload.
 */
export async function scanInbox(deps: InboxDeps): Promise<InboxResult> {
  const reading = new AbortController();
  const timer = setTimeout(() => reading.abort(), MAX_READ_MS);
  const scan: InboxScan = {
    marks: new InboxMarks(deps.keys),
    result: { accepted: 0, rejected: 0, deferred: 0, unfinished: 0, stuck: 0 },
    signal: reading.signal,
    maxBytes: deps.settings.maxInboxBytes,
    maxBytesSetting: 'SLUICE_MAX_INBOX_BYTES',
    untilMs: deps.gate.now() + MAX_COLLECT_MS,
    leftSome: false,
    suspects: [],
    isAlone: false,
  };
  try {
    const files = await takeFiles(deps, scan);
    for (const file of scan.suspects) await takeAlone(deps, scan, file);
    if (!scan.leftSome) await scan.marks.forgetOthers((name) => isFileOfApp(deps, name));
    if (files > 0) log.info('inbox-scanned', { ...scan.result });
    return scan.result;
  } finally {
    clearTimeout(timer);
  }
}

/** Takes the files and returns their number. The listing pauses while all slots for small files are occupied. */
async function takeFiles(deps: InboxDeps, scan: InboxScan): Promise<number> {
  const [small, large] = [createSlots(SMALL_AT_ONCE), createSlots(LARGE_AT_ONCE)];
  const taking = new Set<Promise<void>>();
  let files = 0;
  try {
    for await (const file of deps.container(CONTAINERS.inbox).listBlobsFlat({ includeMetadata: true })) {
      if (isOver(deps, scan)) break;
      if (!isFileOfApp(deps, file.name)) continue;
      if (isUnknownYet(deps, file, deps.gate.now())) {
        scan.leftSome = true;
        continue;
      }
      files += 1;
      const slots = isImport(file.name) || (file.properties.contentLength ?? 0) > LARGE_BYTES ? large : small;
      if (slots.waiting >= MAX_LARGE) scan.leftSome = true;
      else {
        const taken = slots.run(() => takeNext(deps, scan, file)).finally(() => taking.delete(taken));
        taking.add(taken);
      }
      while (small.waiting > 0) await Promise.race(taking);
    }
  } finally {
    await Promise.all(taking);
  }
  return files;
}

async function takeNext(deps: InboxDeps, scan: InboxScan, file: BlobItem): Promise<void> {
  if (isOver(deps, scan)) return;
  const taken = await takeFile(deps, scan, file);
  if (taken.end === 'stuck' && scan.result.stuck < MAX_STUCK_LINES) {
    const { error, decision } = taken;
    log.error('inbox-stuck', { file: file.name, ...decision, error, code: errorCodeOf(error) });
  }
  if (taken.end === 'suspect') scan.suspects.push(file);
  else scan.result[taken.end] += 1;
}

/** Takes a suspect file while nothing else runs in this process. If that does not become possible, the next scan does. */
async function takeAlone(deps: InboxDeps, scan: InboxScan, file: BlobItem): Promise<void> {
  const take = (): Promise<void> => {
    log.warn('inbox-suspect', { file: file.name });
    return takeNext(deps, { ...scan, isAlone: true }, file);
  };
  try {
    await deps.alone(take, Math.max(0, scan.untilMs - deps.gate.now()));
  } catch (error) {
    if (!(error instanceof NoSlotError)) throw error;
    log.warn('inbox-deferred', { file: file.name, error });
    scan.result.deferred += 1;
  }
}

function isOver({ gate }: InboxDeps, scan: InboxScan): boolean {
  const isLate = gate.now() > scan.untilMs;
  scan.leftSome ||= isLate;
  return isLate;
}
