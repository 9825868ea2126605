/**
 * The files of the upload page. They outlive the page: a user who opens a batch in the meantime finds them unchanged.
 */
import { computed, effect, signal } from '@preact/signals';
import { type ApiError, toApiError } from '../api/errors.ts';
import { key as kept } from '../api/key.ts';
import { describeFile } from '../api/media-types.ts';
import type { BatchView, UploadCheck } from '../api/types.ts';
import { tryUpload, type Upload, type UploadProgress, upload } from '../api/upload.ts';
import { firstPart } from './first-part.ts';
import type { Target } from './target-fields.tsx';

/** The result of the check of a file's beginning; `isAll` if that was the whole file. */
export type Check =
  | { step: 'checking' }
  | { step: 'checked'; check: UploadCheck; isAll: boolean }
  | { step: 'too large' }
  | { step: 'failed'; error: ApiError };

type Stage =
  | { step: 'chosen'; check: Check }
  | { step: 'sending'; progress: UploadProgress }
  | { step: 'cancelled'; wasSent: boolean }
  | { step: 'failed'; error: ApiError }
  | { step: 'accepted'; batch: BatchView };

/** A chosen file with its target and progress. Its idempotency key makes a repeated upload harmless. */
export interface ChosenFile {
  what: Upload;
  stage: Stage;
}

const keyOf = ({ what }: ChosenFile): string => what.idempotencyKey;

export const files = signal<readonly ChosenFile[]>([]);

export const target = signal<Target>({ workload: '', lane: '' });

/** Whether leaving the page would lose files, which exist only in its memory. */
const isPending = computed(() => files.value.some(({ stage: { step } }) => step === 'chosen' || step === 'sending'));

const askBeforeLeaving = (event: BeforeUnloadEvent): void => event.preventDefault();

// Browsers do not cache pages with this listener for Back, so it exists only while needed.
effect(() => {
  if (isPending.value) addEventListener('beforeunload', askBeforeLeaving);
  else removeEventListener('beforeunload', askBeforeLeaving);
});

/** Cancels the running work on a file: its check or its upload. */
const work = new Map<string, AbortController>();

function begin(key: string): AbortSignal {
  work.get(key)?.abort();
  const controller = new AbortController();
  work.set(key, controller);
  return controller.signal;
}

const find = (key: string): ChosenFile | undefined => files.peek().find((file) => keyOf(file) === key);

function change(key: string, part: Partial<ChosenFile>): void {
  files.value = files.peek().map((file) => (keyOf(file) === key ? { ...file, ...part } : file));
}

/** Adds files and checks them. Returns those whose names have no known type. */
export function addFiles(chosen: readonly File[]): File[] {
  const fitting = chosen.filter(({ name }) => describeFile(name) !== undefined);
  const added = fitting.map((file): ChosenFile => {
    const { delimiter = '' } = describeFile(file.name) ?? {};
    const options = { delimiter, decimal: '', validate: false, idempotencyKey: crypto.randomUUID() };
    return { what: { file, ...target.peek(), ...options }, stage: { step: 'chosen', check: { step: 'checking' } } };
  });
  files.value = [...added, ...files.peek()];
  for (const file of added) void check(keyOf(file));
  return chosen.filter((file) => !fitting.includes(file));
}

/** Changes how a file is read, and checks it again if that affects the check. */
export function setOptions(key: string, part: Partial<Pick<Upload, 'delimiter' | 'decimal' | 'validate'>>): void {
  const file = find(key);
  if (file === undefined) return;
  change(key, { what: { ...file.what, ...part } });
  if (part.validate === undefined) void check(key);
}

async function check(key: string): Promise<void> {
  const what = find(key)?.what;
  if (what === undefined) return;
  const signal = begin(key);
  const show = (next: Check): void => {
    if (!signal.aborted) change(key, { stage: { step: 'chosen', check: next } });
  };
  show({ step: 'checking' });
  try {
    const part = await firstPart(what.file);
    if (part === undefined) return show({ step: 'too large' });
    show({ step: 'checked', check: await tryUpload(what, part, signal), isAll: part.size === what.file.size });
  } catch (error) {
    show({ step: 'failed', error: toApiError(error) });
  }
}

/** Sends a file, for the first time or again after a cancellation or failure. */
export async function sendFile(key: string): Promise<void> {
  const what = find(key)?.what;
  if (what === undefined) return;
  const signal = begin(key);
  const onProgress = (progress: UploadProgress): void => {
    if (!signal.aborted) change(key, { stage: { step: 'sending', progress } });
  };
  onProgress({ step: 'sending', fraction: 0 });
  try {
    change(key, { stage: { step: 'accepted', batch: await upload(what, { onProgress, signal }) } });
  } catch (error) {
    if (!signal.aborted) change(key, { stage: { step: 'failed', error: toApiError(error) } });
  }
}

/** Cancels the upload of a file. */
export function cancelFile(key: string): void {
  const stage = find(key)?.stage;
  if (stage?.step !== 'sending') return;
  work.get(key)?.abort();
  change(key, { stage: { step: 'cancelled', wasSent: stage.progress.step === 'storing' } });
}

/** Sends many files. */
export const sendFiles = (chosen: readonly ChosenFile[]): void => {
  for (const file of chosen) void sendFile(keyOf(file));
};

/** Removes files from the page; accepted batches stay. */
export function removeFiles(chosen: readonly ChosenFile[]): void {
  const keys = new Set(chosen.map(keyOf));
  for (const key of keys) {
    work.get(key)?.abort();
    work.delete(key);
  }
  files.value = files.peek().filter((file) => !keys.has(keyOf(file)));
}

/** Removes a file from the page; an accepted batch stays. */
export const removeFile = (key: string): void => removeFiles(files.peek().filter((file) => keyOf(file) === key));

// Another key starts without files.
kept.subscribe((key) => {
  if (key === '') removeFiles(files.peek());
});
