/**
 * `npm run record-upgrade [-- X.Y.Z]`: brings batches into every state with the code of this commit, kills the app, and
 * writes what it has left in its services to tests/upgrade/X.Y.Z (default: the version of package.json).
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { CONTAINERS, outcomeBlobName } from '../../shared/contract/names.ts';
import { registry } from './app/registry.ts';
import { BATCHES, itemsLeft } from './batches.ts';
import { bringIntoStates, type StagedBatch } from './bring-into-states.ts';
import { buildUpgradeApp } from './build-app.ts';
import { createHolds } from './holds.ts';
import { exportBlobs } from './recording/blobs.ts';
import { exportMessages } from './recording/bus.ts';
import { type RecordedBatch, type Recording, recordingFolder, writeRecording } from './recording/files.ts';
import { exportHub } from './recording/hub.ts';
import { exportQueues } from './recording/queues.ts';
import { exportTables } from './recording/tables.ts';
import { startServices } from './stack.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const MAX_BYTES = 1_000_000;
/** Messages that the app had received when it was killed are visible again after this time. */
const SETTINGS = { SLUICE_VISIBILITY_SECONDS: '10' };

const git = (...args: string[]): string => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const { version: ownVersion } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const version = process.argv[2] ?? ownVersion;
recordingFolder(version);
// A recording that was not committed is replaced.
const changed = git('status', '--porcelain', '--', '.', `:!tests/upgrade/${version}`);
if (changed !== '')
  throw new Error(`A recording names the commit that made it. Commit these changes first:\n${changed}`);
const commit = git('rev-parse', 'HEAD');

const folder = await mkdtemp(join(tmpdir(), 'sluice-record-'));
try {
  const bytes = await writeRecording(version, await record());
  print(`Recorded ${version} with the code of ${commit}: ${bytes} bytes in tests/upgrade/${version}. Commit it.`);
  if (bytes > MAX_BYTES) throw new Error(`Expected at most ${MAX_BYTES} bytes.`);
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function record(): Promise<Recording> {
  print('Building the app');
  const app = await buildUpgradeApp('upgrade-recorded');
  const holds = createHolds();
  const services = await startServices(folder, { settings: SETTINGS, storageClient: { intercept: holds.intercept } });
  try {
    const host = await services.startHost(app, 1);
    const batches = await bringIntoStates({ services, host, holds, print });
    await host.kill();
    const recordedAt = new Date().toISOString();
    print('The app is killed. Reading what it has left');
    const { storage, serviceBus, hubFile } = services;
    const blobs = await exportBlobs(storage);
    const outcomes = new Set(blobs[CONTAINERS.results]?.blobs.map(({ name }) => name));
    return {
      recorded: { version, commit, recordedAt, batches: batches.map((batch) => withLeft(batch, outcomes)) },
      queues: await exportQueues(storage),
      tables: await exportTables(storage),
      blobs,
      'service-bus': await exportMessages(serviceBus),
      'task-hub': exportHub(hubFile),
    };
  } finally {
    await services.stop();
  }
}

function withLeft(batch: StagedBatch, outcomes: ReadonlySet<string>): RecordedBatch {
  const { name, workload, id } = batch;
  const { chunk } = registry.workload(workload) ?? { chunk: { maxItems: 1 } };
  const hasOutcome = (chunkId: string): boolean => outcomes.has(outcomeBlobName(workload, id, chunkId));
  return { ...batch, left: itemsLeft(BATCHES[name], chunk.maxItems, hasOutcome) };
}
