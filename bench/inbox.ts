/**
 * One large file through the inbox of the local stack, whose app is killed once in the middle: counts, time and peak
 * memory. Run: npm run --silent build && node bench/inbox.ts [gigabytes]. The file and all data are in the temporary
 * folder and are deleted afterwards; they need at most twice the size of the file.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { type LocalStack, startStack } from 'functions-local';
import { sluiceStack } from '../demo/stack.ts';
import { usageBlocks } from '../demo/usage/generate.ts';
import { peakMemory } from '../local/batch/peak-memory.ts';
import { CONTAINERS } from '../shared/contract/names.ts';
import { type FileProgress, listTaking } from '../shared/intake/store/file-progress.ts';

const GB = 1e9;
const MiB = 1024 * 1024;
const NAME = 'billing/large.ndjson';
/** The file repeats these lines: generating each line separately would take longer than reading it. */
const LINES = 100_000;
const POLL_MS = 500;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const seconds = (since: number): string => `${((performance.now() - since) / 1000).toFixed(1)} s`;

type Container = (name: string) => ContainerClient;

/** Puts the file; returns its number of items. */
async function drop(container: Container, bytes: number): Promise<number> {
  const block = Buffer.from([...usageBlocks({ items: LINES })].join(''));
  const times = Math.ceil(bytes / block.length);
  const pieces = function* (): Generator<Buffer> {
    for (let n = 0; n < times; n++) yield block;
  };
  const blob = container(CONTAINERS.inbox).getBlockBlobClient(NAME);
  await blob.uploadStream(Readable.from(pieces()), 16 * MiB, 2);
  print(`${((times * block.length) / GB).toFixed(2)} GB of NDJSON, ${times * LINES} items`);
  return times * LINES;
}

async function takenNow(container: Container): Promise<FileProgress | undefined> {
  for await (const file of listTaking({ container })) return file;
  return undefined;
}

const isDone = (container: Container): Promise<boolean> => container(CONTAINERS.inboxDone).getBlobClient(NAME).exists();

/** Waits until the file is read, and kills the app when a checkpoint is behind more than half of it. */
async function watch(
  { instances: [instance] }: LocalStack,
  container: Container,
  bytes: number,
): Promise<{ peakBytes: number }> {
  const start = performance.now();
  let peakBytes = 0;
  let isKilled = false;
  while (!(await isDone(container))) {
    await sleep(POLL_MS);
    peakBytes = Math.max(peakBytes, (await peakMemory(instance.process.pid)) ?? 0);
    const taken = isKilled ? undefined : await takenNow(container);
    if (taken === undefined || taken.readBytes < bytes / 2) continue;
    isKilled = true;
    await instance.kill();
    print(`after ${seconds(start)}: killed, with ${taken.readItems} items behind the latest checkpoint`);
    await instance.start();
  }
  if (!isKilled) throw new Error('The file was imported before it could be interrupted: use a larger one.');
  print(`after ${seconds(start)}: accepted, and moved to ${CONTAINERS.inboxDone}`);
  return { peakBytes };
}

interface BatchAnswer {
  counts: { accepted: number };
  chunks: { total: number };
}

async function check({ url, keys }: LocalStack, container: Container, items: number): Promise<void> {
  const { metadata } = await container(CONTAINERS.inboxDone).getBlobClient(NAME).getProperties();
  const answer = await fetch(`${url}/api/batches/${metadata?.batch}`, {
    headers: { 'x-functions-key': keys.function },
  });
  const { counts, chunks } = (await answer.json()) as BatchAnswer;
  if (counts.accepted !== items) throw new Error(`Expected ${items} items in the batch, got ${counts.accepted}.`);
  print(`accepted ${counts.accepted} items in ${chunks.total} chunks: all`);
  for await (const { name } of container(CONTAINERS.payloads).listBlobsFlat({ prefix: 'checkpoints/' }))
    throw new Error(`Expected no checkpoint, found ${name}`);
}

async function run(folder: string, bytes: number): Promise<void> {
  const stack = await startStack(sluiceStack(folder));
  try {
    const blobs = BlobServiceClient.fromConnectionString(stack.storage);
    const container: Container = (name) => blobs.getContainerClient(name);
    const items = await drop(container, bytes);
    const { peakBytes } = await watch(stack, container, bytes);
    await check(stack, container, items);
    print(`peak memory of the app ${Math.round(peakBytes / MiB)} MiB`);
  } finally {
    await stack.stop();
  }
}

const gigabytes = Number(process.argv[2] ?? 5);
if (!(gigabytes > 0)) throw new Error(`Expected a size in gigabytes, got "${process.argv[2]}"`);
const folder = await mkdtemp(join(tmpdir(), 'sluice-inbox-'));
try {
  await run(folder, gigabytes * GB);
} finally {
  await rm(folder, { recursive: true, force: true });
}
