/**
 * The inbox: a file dropped at `inbox/<workload>/[<lane>/]<name>` becomes a batch and moves to `inbox-done`, or to
 * `inbox-rejected` with the reason beside it. A crash at any point repeats with the same idempotency key.
 */
import type { BlobItem, ContainerClient } from '@azure/storage-blob';
import { CONTAINERS } from '../contract/names.ts';
import { Problem, statusOf, toError } from '../errors.ts';
import type { Settings } from '../settings.ts';
import { log } from '../telemetry/log.ts';
import type { Workload } from '../workload/define.ts';
import type { Registry } from '../workload/registry.ts';
import { formatOfName } from './formats.ts';
import { type SubmitDeps, submit } from './submit.ts';

/** No file is begun after this long: the function must end within its timeout. */
const MAX_COLLECT_MS = 5 * 60_000;
/** Metadata name under which the writer of a file may give an idempotency key of its own. */
const KEY_METADATA = 'idempotencykey';

export interface InboxDeps extends SubmitDeps {
  registry: Registry;
  settings: Settings;
}

/** What one look into the inbox came to. */
export interface InboxResult {
  accepted: number;
  rejected: number;
  /** Files that a fault kept from being taken; they are looked at again next time. */
  deferred: number;
}

/** Takes the files of the inbox, one after another. An empty inbox costs one operation. */
export async function collectInbox(deps: InboxDeps): Promise<InboxResult> {
  const result: InboxResult = { accepted: 0, rejected: 0, deferred: 0 };
  const start = deps.gate.now();
  const inbox = deps.container(CONTAINERS.inbox);
  for await (const file of inbox.listBlobsFlat({ includeMetadata: true })) {
    if (deps.gate.now() - start > MAX_COLLECT_MS) break;
    if (isForeignPool(deps, file.name)) continue;
    result[await takeFile(deps, inbox, file)] += 1;
  }
  return result;
}

/** With several pools, each takes its own workloads' files; what names no workload at all is rejected by any. */
function isForeignPool({ registry, settings }: InboxDeps, name: string): boolean {
  const workload = registry.workload(name.split('/')[0] ?? '');
  return workload !== undefined && settings.pool !== undefined && workload.pool !== settings.pool;
}

async function takeFile(deps: InboxDeps, inbox: ContainerClient, file: BlobItem): Promise<keyof InboxResult> {
  try {
    const batch = await submitFile(deps, inbox, file);
    await move(deps, file, CONTAINERS.inboxDone, { batch });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof Problem) || error.type === 'upload-in-progress') {
      log.warn('inbox-deferred', { file: file.name, error: toError(error) });
      return 'deferred';
    }
    return reject(deps, file, error);
  }
}

async function submitFile(deps: InboxDeps, inbox: ContainerClient, file: BlobItem): Promise<string> {
  const { name, properties, metadata } = file;
  const target = targetOf(deps.registry, name);
  if (properties.blobType === 'AppendBlob') {
    throw new Problem(
      'unsupported-media-type',
      `${name} is an append blob, of which nobody can tell when it is complete.`,
    );
  }
  const { readableStreamBody } = await inbox
    .getBlobClient(name)
    .download(0, undefined, { conditions: { ifMatch: properties.etag } });
  const row = await submit(deps, {
    ...target,
    key: metadata?.[KEY_METADATA] ?? `${name} ${properties.etag}`,
    source: { kind: 'inbox', name },
    body: readableStreamBody as AsyncIterable<Uint8Array>,
    limits: { ...deps.settings, maxBodyBytes: deps.settings.maxInboxBytes },
  });
  return row.id;
}

type Target = { workload: Workload; lane: string | undefined } & NonNullable<ReturnType<typeof formatOfName>>;

/** Workload, lane and format by the file's path. Throws Problem for a path that does not name them. */
function targetOf(registry: Registry, path: string): Target {
  const parts = path.split('/');
  const [workloadName = '', lane] = parts;
  const workload = registry.workload(workloadName);
  if (!workload || parts.length < 2)
    throw new Problem('not-found', `"${path}" is not <workload>/[<lane>/]<name> of a known workload.`);
  const format = formatOfName(path);
  if (!format) {
    throw new Problem(
      'unsupported-media-type',
      `"${path}" must end in .ndjson, .json or .csv, with .gz, .br or .zst behind it if compressed.`,
    );
  }
  if (parts.length === 2) return { workload, lane: undefined, ...format };
  if (lane === undefined || !workload.lanes.includes(lane)) {
    throw new Problem(
      'invalid-parameter',
      `"${path}" names lane "${lane}"; workload "${workloadName}" has ${workload.lanes.join(', ')}.`,
    );
  }
  return { workload, lane, ...format };
}

async function reject(deps: InboxDeps, file: BlobItem, problem: Problem): Promise<keyof InboxResult> {
  const { type, status, title, message: detail, errors } = problem;
  const reason = JSON.stringify({ type, status, title, detail, errors }, undefined, 2);
  const beside = deps.container(CONTAINERS.inboxRejected).getBlockBlobClient(`${file.name}.reason.json`);
  await beside.upload(reason, Buffer.byteLength(reason), { blobHTTPHeaders: { blobContentType: 'application/json' } });
  await move(deps, file, CONTAINERS.inboxRejected, {});
  log.warn('inbox-rejected', { file: file.name, reason: detail });
  return 'rejected';
}

/** Copy, then delete, both only while the file is the one that was read: one that was replaced meanwhile stays. */
async function move(
  deps: InboxDeps,
  { name, properties }: BlobItem,
  to: string,
  metadata: Record<string, string>,
): Promise<void> {
  const source = deps.container(CONTAINERS.inbox).getBlobClient(name);
  const ifMatch = properties.etag;
  try {
    const target = deps.container(to).getBlobClient(name);
    const poller = await target.beginCopyFromURL(source.url, {
      metadata,
      sourceConditions: { ifMatch },
      intervalInMs: 500,
    });
    await poller.pollUntilDone();
    await source.delete({ conditions: { ifMatch } });
  } catch (error) {
    if (statusOf(error) !== 412 && statusOf(error) !== 404) throw error;
    log.info('inbox-replaced', { file: name });
  }
}
