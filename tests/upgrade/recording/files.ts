/** The files of a recording: text that people can review, in the same order each time. */
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RecordedBlobs } from './blobs.ts';
import type { RecordedMessage } from './bus.ts';
import type { RecordedHub } from './hub.ts';
import type { RecordedQueues } from './queues.ts';
import type { RecordedTables } from './tables.ts';

/** How a batch must end. */
export interface End {
  state: 'completed' | 'completedWithDeadLetters' | 'cancelled';
  succeeded: number;
  dead: number;
  cancelled: number;
  /** The row of the report: its results, and the sum of their numbers. There is no row without results. */
  count: number;
  sum: number;
}

/** A batch as it was recorded. */
export interface RecordedBatch {
  name: string;
  workload: string;
  /** The idempotency key of its upload. */
  key: string;
  id: string;
  /** The state in which it was recorded; `uploading` has no row of a batch yet. */
  state: string;
  /** The numbers of the items that must still run, each exactly once. */
  left: readonly number[];
  end: End;
}

/** The content of `recorded.json`. */
export interface Recorded {
  version: string;
  /** The commit whose code made the recording. */
  commit: string;
  /** When the app was killed. */
  recordedAt: string;
  batches: readonly RecordedBatch[];
}

/** What a version has left in its services. */
export interface Recording {
  recorded: Recorded;
  tables: RecordedTables;
  queues: RecordedQueues;
  blobs: RecordedBlobs;
  'service-bus': readonly RecordedMessage[];
  'task-hub': RecordedHub;
}

const FOLDER = resolve(import.meta.dirname, '..');
const NAMES = ['recorded', 'tables', 'queues', 'blobs', 'service-bus', 'task-hub'] as const;
const VERSION = /^\d+\.\d+\.\d+$/;

/** The versions that have a recording, oldest first. */
export const recordedVersions = (): string[] =>
  readdirSync(FOLDER)
    .filter((name) => VERSION.test(name) && existsSync(join(FOLDER, name, 'recorded.json')))
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));

/** Returns the folder of a version's recording. Throws an Error if `version` is not of the form X.Y.Z. */
export function recordingFolder(version: string): string {
  if (!VERSION.test(version)) throw new Error(`Expected a version X.Y.Z, got ${JSON.stringify(version)}.`);
  return join(FOLDER, version);
}

export async function readRecorded(version: string): Promise<Recorded> {
  return JSON.parse(await readFile(join(recordingFolder(version), 'recorded.json'), 'utf8')) as Recorded;
}

/** Reads the recording of a version. */
export async function readRecording(version: string): Promise<Recording> {
  const read = async (name: string) =>
    [name, JSON.parse(await readFile(join(recordingFolder(version), `${name}.json`), 'utf8'))] as const;
  return Object.fromEntries(await Promise.all(NAMES.map(read))) as unknown as Recording;
}

/** Replaces the recording of a version. Returns its size in bytes. */
export async function writeRecording(version: string, recording: Recording): Promise<number> {
  const folder = recordingFolder(version);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  let bytes = 0;
  for (const name of NAMES) {
    const text = `${JSON.stringify(recording[name], null, 2)}\n`;
    bytes += Buffer.byteLength(text);
    await writeFile(join(folder, `${name}.json`), text);
  }
  return bytes;
}
